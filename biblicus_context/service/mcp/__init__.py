"""The Model Context Protocol: a project and a learning memory as tools, prompts and resources of an agent."""

from biblicus_context.service.mcp.offer import LiveOffers as LiveOffers, Offer as Offer
from biblicus_context.service.mcp.server import (
    AgentsEndpoint as AgentsEndpoint,
    http_app as http_app,
    serve_stdio as serve_stdio,
    server_of as server_of,
)
