// Search of a site that is opened from a folder: browsers start no workers from file://, so the worker's script runs in a frame that
// is not shown, and messages are handed on both ways. Elsewhere nothing changes.
"use strict";
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const waiting = [];
      let inside = null;
      this.postMessage = (data) => {
        if (inside) inside.dispatchEvent(new inside.MessageEvent("message", {data}));
        else waiting.push(data);
      };
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = "<!doctype html>";
      frame.onload = () => {
        frame.onload = null;
        const place = frame.contentWindow;
        place.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", {data}));
        const script = place.document.createElement("script");
        script.onload = () => {
          inside = place;
          waiting.forEach(this.postMessage);
        };
        script.src = url;
        place.document.body.append(script);
      };
      document.body.append(frame);
    }
  };
}
