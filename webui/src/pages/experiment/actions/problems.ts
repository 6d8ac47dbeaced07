// The server's words about a configuration, one fault each, with the line where it says one.
export interface Problem { message: string; line: number | undefined }

export function problems(message: string): Problem[] {
  return message.replace(/^invalid experiment configuration:\s*/, '').split('\n').filter((line) => line.trim() !== '').map((one) => {
    const line = /\(line (\d{1,7})\)\s*$/.exec(one);
    return { message: one.trim().replace(/^<config>\./, ''), line: line ? Number(line[1]) : undefined };
  });
}
