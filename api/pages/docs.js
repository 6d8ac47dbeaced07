"use strict";
// Shows /api/v1/openapi.json. What the server says is put in as text, never as HTML.

const longestShown = 200000; // characters of an answer
const patience = 30000; // milliseconds: streams that follow would never end

function element(tag, text, ...children) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function nameOf(reference) {
  return reference.split("/").pop();
}

// "list of v1Trial": in words, with links to the forms.
function typeOf(schema) {
  const made = document.createElement("span");
  made.className = "type";
  if (schema.$ref) {
    const link = element("a", nameOf(schema.$ref));
    link.href = "#form-" + nameOf(schema.$ref);
    made.append(link);
  } else if (schema.allOf) {
    made.append(typeOf(schema.allOf[0]));
  } else if (schema.oneOf) {
    schema.oneOf.forEach((one, i) => made.append(i ? " or " : "", typeOf(one)));
  } else if (schema.type === "array") {
    made.append("list of ", typeOf(schema.items));
  } else if (schema.enum) {
    made.append(schema.enum.join(", "));
  } else if (schema.additionalProperties && schema.additionalProperties !== true) {
    made.append("map of ", typeOf(schema.additionalProperties));
  } else {
    made.append(schema.format || schema.type || "any");
  }
  if (schema.nullable) made.append(" or null");
  if (schema.minimum !== undefined || schema.maximum !== undefined) {
    made.append(" " + (schema.minimum ?? "") + ".." + (schema.maximum ?? ""));
  }
  if (schema.default !== undefined) made.append(" = " + schema.default);
  return made;
}

function rowOf(name, schema, isRequired, text) {
  const type = element("td", "", typeOf(schema));
  return element("tr", "", element("td", name + (isRequired ? " *" : "")), type, element("td", text || schema.description || ""));
}

function membersOf(schema) {
  const table = document.createElement("table");
  const required = new Set(schema.required || []);
  for (const [name, member] of Object.entries(schema.properties || {})) table.append(rowOf(name, member, required.has(name)));
  return table;
}

function shown(schema) {
  if (schema.properties) return Object.keys(schema.properties).length ? membersOf(schema) : element("p", "An empty object.");
  return element("p", "", typeOf(schema));
}

function schemaOf(content) {
  return Object.values(content || {})[0]?.schema;
}

function inputFor(parameter) {
  const input = document.createElement("input");
  input.dataset.name = parameter.name;
  input.dataset.place = parameter.in;
  input.dataset.isList = parameter.schema.type === "array" ? "yes" : "";
  input.placeholder = parameter.name + (input.dataset.isList ? ", ..." : "") + (parameter.required ? " (needed)" : "");
  input.setAttribute("aria-label", parameter.name);
  return input;
}

function addressOf(path, inputs) {
  const query = new URLSearchParams();
  let address = path;
  for (const input of inputs) {
    const { name, place, isList } = input.dataset;
    if (place === "header") continue;
    if (place === "path") address = address.replace("{" + name + "}", encodeURIComponent(input.value));
    else if (isList) input.value.split(",").filter(Boolean).forEach((one) => query.append(name, one.trim()));
    else if (input.value) query.append(name, input.value);
  }
  const text = query.toString();
  return address + (text ? "?" + text : "");
}

function headersOf(inputs) {
  const token = document.getElementById("token").value.trim();
  const headers = new Headers(token ? { Authorization: "Bearer " + token } : {});
  for (const input of inputs) {
    if (input.dataset.place === "header" && input.value) headers.set(input.dataset.name, input.value);
  }
  return headers;
}

// A cookie of the login would be sent by anybody's page: only the token of the field counts.
async function ask(address, inputs, output) {
  output.textContent = "...";
  try {
    const headers = headersOf(inputs);
    const options = { headers, credentials: "omit", redirect: "manual", signal: AbortSignal.timeout(patience) };
    const answer = await fetch(address, options);
    const reader = answer.body?.getReader();
    const decoder = new TextDecoder();
    let text = "";
    output.textContent = answer.status + "\n";
    for (;;) {
      const part = reader ? await reader.read() : { done: true };
      if (part.done || text.length > longestShown) break;
      text += decoder.decode(part.value, { stream: true });
      output.textContent = answer.status + "\n" + text.slice(0, longestShown);
    }
    await reader?.cancel();
    const type = answer.headers.get("Content-Type") || "";
    if (type.startsWith("application/json") && text.length <= longestShown) {
      try {
        output.textContent = answer.status + "\n" + JSON.stringify(JSON.parse(text), null, 2);
      } catch {
        // A stream of lines stays as it came.
      }
    }
  } catch (error) {
    output.textContent += "\n" + (error.name === "TimeoutError" ? "stopped after 30 seconds" : "it failed: " + error.message);
  }
}

function tryIt(path, parameters) {
  const form = document.createElement("form");
  const inputs = parameters.map(inputFor);
  const output = element("pre");
  form.append(...inputs, element("button", "Try it"), output);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(addressOf(path, inputs), inputs, output);
  });
  return form;
}

function section(title, ...children) {
  return element("section", "", element("h4", title), ...children);
}

function detailsOf(method, path, operation, shared) {
  const made = [element("p", operation.description)];
  const parameters = operation.parameters || [];
  if (parameters.length) {
    const table = document.createElement("table");
    for (const one of parameters) table.append(rowOf(one.name, one.schema, one.required, one.description));
    made.push(section("Parameters", table));
  }
  const body = schemaOf(operation.requestBody?.content);
  if (body) made.push(section("Body", shown(body)));
  const answers = document.createElement("table");
  for (const [status, written] of Object.entries(operation.responses)) {
    const response = written.$ref ? shared[nameOf(written.$ref)] : written;
    const schema = schemaOf(response.content);
    const types = Object.keys(response.content || {}).join(", ");
    const form = !schema ? element("span") : schema.format === "binary" ? element("span", types) : schema.properties ? shown(schema) : typeOf(schema);
    answers.append(element("tr", "", element("td", status), element("td", "", form), element("td", response.description || "")));
  }
  made.push(section("Answers", answers));
  if (method === "get") made.push(section("Try it", tryIt(path, parameters)));
  return made;
}

function routeOf(method, path, operation, shared) {
  const summary = element("summary", "", element("b", method.toUpperCase()), element("code", path), element("span", operation.summary));
  const details = element("details", "", summary);
  details.id = operation.operationId;
  // There are hundreds: each is filled when it is looked at.
  const fill = () => details.children.length === 1 && details.append(...detailsOf(method, path, operation, shared));
  details.addEventListener("toggle", fill);
  return details;
}

function show(api) {
  const routes = document.getElementById("routes");
  const tags = document.getElementById("tags");
  routes.replaceChildren();
  for (const tag of api.tags) {
    const heading = element("h2", tag.name);
    heading.id = "tag-" + tag.name;
    routes.append(heading, element("p", tag.description));
    const link = element("a", tag.name);
    link.href = "#" + heading.id;
    tags.append(link);
    for (const [path, methods] of Object.entries(api.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.tags[0] === tag.name) routes.append(routeOf(method, path, operation, api.components.responses));
      }
    }
  }
  const heading = element("h2", "Forms");
  heading.id = "forms";
  routes.append(heading);
  for (const [name, schema] of Object.entries(api.components.schemas)) {
    const details = element("details", "", element("summary", name), shown(schema));
    details.id = "form-" + name;
    routes.append(details);
  }
  const open = () => {
    const wanted = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (wanted?.tagName === "DETAILS") wanted.open = true;
    wanted?.scrollIntoView();
  };
  window.addEventListener("hashchange", open);
  open();
}

document.getElementById("filter").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase();
  for (const details of document.querySelectorAll("#routes > details")) {
    details.hidden = !details.firstChild.textContent.toLowerCase().includes(wanted);
  }
});

fetch("/api/v1/openapi.json", { credentials: "omit" })
  .then((answer) => answer.json())
  .then(show)
  .catch((error) => {
    document.getElementById("routes").textContent = "The description could not be read: " + error.message;
  });
