"""Lists and uses everything that `rdmanav mcp` offers, with the MCP client of PyPI.

usage: client.py BINARY LOG    (needs the package mcp; ends with an error at the first thing that is not as it should be)
"""

import asyncio
import sys

from mcp import Client, StdioServerParameters
from mcp.types import PromptReference, ResourceTemplateReference

BINARY, LOG = sys.argv[1:]
CALLS = {
    "query": {"query": "why is nccl using tcp instead of ib"},
    "show": {"id": "nccl-transports"},
    "env": {"name": "NCCL_IB_TIMEOUT", "nccl": "2.22"},
    "diagnose": {"log": open(LOG, encoding="utf-8").read()},
    "lint": {"text": "export NCCL_SOCKET_IFNAM=eth0\n", "name": "job.sh"},
    "context": {"query": "DCQCN", "max_tokens": 900},
}
PROMPTS = {
    "triage-slow-job": {"symptom": "all-reduce is slow", "log": CALLS["diagnose"]["log"]},
    "review-settings": {"settings": "export NCCL_IB_TC=106", "profile": "roce"},
}


async def pages(ask, field):
    entries, cursor = [], None
    while True:
        page = await ask(cursor=cursor)
        entries += getattr(page, field)
        cursor = page.next_cursor
        if cursor is None:
            return entries


async def use(mode):
    async with Client(StdioServerParameters(command=BINARY, args=["mcp"]), mode=mode) as client:
        # With a given revision the client asks for nothing before the first request.
        if mode in ("auto", "legacy"):
            assert client.server_info.name == "rdmanav", client.server_info
        tools = await pages(client.list_tools, "tools")
        # A tool that is listed and not called here, or the other way round, is a gap of this check.
        assert sorted(tool.name for tool in tools) == sorted(CALLS), tools
        for name, arguments in CALLS.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error and result.structured_content and result.content[0].text, (name, result)
        wrong = await client.call_tool("show", {"id": "dcqn"})
        assert wrong.is_error and "dcqcn" in wrong.content[0].text, wrong
        resources = await pages(client.list_resources, "resources")
        for resource in resources:
            contents = (await client.read_resource(str(resource.uri))).contents
            assert contents[0].text.startswith("# "), resource
        templates = await pages(client.list_resource_templates, "resource_templates")
        assert len(templates) == 2, templates
        template = ResourceTemplateReference(uri="rdmanav://section/{id}")
        completion = (await client.complete(template, {"name": "id", "value": "dcq"})).completion
        assert completion.values == ["dcqcn"], completion
        completion = (await client.complete(PromptReference(name="review-settings"), {"name": "profile", "value": "ro"})).completion
        assert "roce" in completion.values, completion
        prompts = await pages(client.list_prompts, "prompts")
        assert sorted(prompt.name for prompt in prompts) == sorted(PROMPTS), prompts
        for name, arguments in PROMPTS.items():
            assert (await client.get_prompt(name, arguments)).messages, name
        print(f"{mode}: revision {client.protocol_version}, {len(tools)} tools, {len(resources)} resources, {len(prompts)} prompts")


for mode in ["auto", "legacy", "2026-07-28"]:
    asyncio.run(use(mode))
