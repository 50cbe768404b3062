// Lists and uses everything that `rdmanav mcp` offers, with the TypeScript SDK.
// usage: node client.mjs BINARY LOG    (needs @modelcontextprotocol/sdk; ends with an error at the first thing that is not as it should be)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The package is looked for where the check is run, not beside this file.
const require = createRequire(process.cwd() + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");

const [binary, log] = process.argv.slice(2);
const calls = {
  query: { query: "why is nccl using tcp instead of ib" },
  show: { id: "nccl-transports" },
  env: { name: "roce" },
  diagnose: { log: readFileSync(log, "utf8") },
  lint: { text: "export NCCL_SOCKET_IFNAM=eth0\n", name: "job.sh" },
  context: { query: "DCQCN", max_tokens: 900 },
};
const prompts = {
  "triage-slow-job": { symptom: "all-reduce is slow", log: calls.diagnose.log },
  "review-settings": { settings: "export NCCL_IB_TC=106" },
};

async function pages(ask, field) {
  const entries = [];
  let cursor;
  do {
    const page = await ask(cursor === undefined ? {} : { cursor });
    entries.push(...page[field]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return entries;
}

const client = new Client({ name: "check", version: "1" });
await client.connect(new StdioClientTransport({ command: binary, args: ["mcp"] }));
assert.equal(client.getServerVersion().name, "rdmanav");
const tools = await pages((cursor) => client.listTools(cursor), "tools");
assert.deepEqual(tools.map((tool) => tool.name).sort(), Object.keys(calls).sort());
for (const [name, args] of Object.entries(calls)) {
  // The client holds the value to the output schema.
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError && result.structuredContent && result.content[0].text, name);
}
assert.ok((await client.callTool({ name: "show", arguments: { id: "dcqn" } })).isError);
const resources = await pages((cursor) => client.listResources(cursor), "resources");
for (const { uri } of resources) {
  assert.ok((await client.readResource({ uri })).contents[0].text.startsWith("# "), uri);
}
assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2);
const reference = { type: "ref/resource", uri: "rdmanav://section/{id}" };
const { completion } = await client.complete({ ref: reference, argument: { name: "id", value: "dcq" } });
assert.deepEqual(completion.values, ["dcqcn"]);
const listed = await pages((cursor) => client.listPrompts(cursor), "prompts");
assert.deepEqual(listed.map((prompt) => prompt.name).sort(), Object.keys(prompts).sort());
for (const [name, args] of Object.entries(prompts)) {
  assert.ok((await client.getPrompt({ name, arguments: args })).messages.length, name);
}
await client.close();
console.log(`TypeScript SDK: ${tools.length} tools, ${resources.length} resources, ${listed.length} prompts`);
