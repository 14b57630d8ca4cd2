"""What tests of bots in other languages share."""

from __future__ import annotations

from collections.abc import Iterator

import grpc

from arena.v1 import lobby_pb2, lobby_pb2_grpc

PATIENCE = 900.0
UNIT_TESTS = {
    "go": ["go", "test", "./..."],
    "rust": ["cargo", "test", "--workspace", "--release", "--quiet"],
    "java": ["mvn", "--quiet", "--batch-mode", "test"],
    "typescript": ["npm", "test", "--silent"],
    "c++": ["ctest", "--test-dir", "build", "--output-on-failure"],
}


class ScriptedLobby(lobby_pb2_grpc.LobbyServicer):
    """A lobby that ends each call with the next status of a list, the last of which goes on."""

    def __init__(self, statuses: list[grpc.StatusCode]) -> None:
        self.statuses = statuses
        self.calls = 0

    def Join(
        self, requests: Iterator[lobby_pb2.JoinRequest], context: grpc.ServicerContext
    ) -> Iterator[lobby_pb2.JoinResponse]:
        assert next(requests).hello.token == "t"
        status = self.statuses[min(self.calls, len(self.statuses) - 1)]
        self.calls += 1
        if status is not grpc.StatusCode.OK:
            context.abort(status, f"said with {status.name}")
        yield lobby_pb2.JoinResponse(welcome=lobby_pb2.JoinWelcome(protocol_version=1))
