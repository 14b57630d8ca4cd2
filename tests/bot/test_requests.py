"""A request that makes no sense is refused with a sentence. The documented line of grpcurl plays a turn."""

from __future__ import annotations

import json
import re
import shlex
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from google.protobuf import json_format

from arena.bot import Bot
from arena.bot.server import BotService
from arena.v1 import bot_pb2
from tests.docs import text_of
from tests.patience import PATIENCE

GRPCURL = re.compile(r"^grpcurl .*?(?=^```$)", re.MULTILINE | re.DOTALL)


class First(Bot):
    name = "first"

    def choose(self, turn):
        return turn.actions[0]


def played(request: bot_pb2.PlayRequest) -> list[bot_pb2.Decision]:
    """The decisions of a served Python bot on a request."""
    server = grpc.server(ThreadPoolExecutor(max_workers=1))
    server.add_generic_rpc_handlers(BotService(First).handlers())
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}", options=[("grpc.enable_http_proxy", 0)]) as channel:
            play: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/arena.v1.Bot/Play")
            answers = play(iter([request.SerializeToString()]), timeout=PATIENCE)
            return [each for data in answers for each in bot_pb2.PlayResponse.FromString(data).decisions]
    finally:
        server.stop(None)


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ({"turns": [{"table": 7, "turn": 1, "hyrule": {}}]}, "a turn came for table 7, which has not begun"),
        ({"starts": [{"table": 7, "seats": 2}]}, "the start of table 7 cannot be read: it names no game"),
        (
            {
                "starts": [{"table": 7, "seats": 2, "fortyOne": {"players": 4, "stall": 8, "series": 1}}],
                "turns": [{"table": 7, "turn": 1}],
            },
            "a turn of table 7 cannot be read: it names no game",
        ),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_with_a_sentence(request_, told):
    with pytest.raises(grpc.RpcError) as caught:
        played(json_format.ParseDict(request_, bot_pb2.PlayRequest()))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert str(caught.value.details()).startswith(told)


def test_the_documented_line_of_grpcurl_plays_a_turn():
    (line,) = GRPCURL.findall(text_of("bots/REFERENCE.md"))
    words = shlex.split(line)
    assert words[-1] == "arena.v1.Bot/Play"
    request = json.loads(words[words.index("-d") + 1])
    (decision,) = played(json_format.ParseDict(request, bot_pb2.PlayRequest()))
    assert (decision.table, decision.turn, decision.action) == (1, 1, 0)
