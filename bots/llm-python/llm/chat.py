"""Asks a language model, at any address with OpenAI's chat completions."""

from __future__ import annotations

import http.client
import json
import os
import queue
import re
import sys
import threading
import tomllib
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

_FILE = Path(__file__).parents[1] / "llm.toml"
_MOST = 1 << 20  # bytes of an answer

Message = Mapping[str, str]


class Settings(NamedTuple):
    """The model, and how it is asked.

    Attributes:
        base_url: the address to which `/chat/completions` is added.
        model: the model's name there.
        key: the secret; empty for none.
        request: further fields of each request.
    """

    base_url: str
    model: str
    key: str
    request: Mapping[str, Any]


class Reply(NamedTuple):
    """A model's answer.

    Attributes:
        text: what it says.
        tokens_in, tokens_out: what it read and wrote, in tokens; 0 if the server does not say.
    """

    text: str
    tokens_in: int
    tokens_out: int


class Failure(Exception):
    """The model did not answer. The text says why in a few words, always the same for the same reason."""


def settings() -> Settings:
    """The settings in the environment, or else in `llm.toml`. Exits with a sentence if one is missing."""
    given = tomllib.loads(_FILE.read_text("utf-8-sig"))

    def setting(name: str, variable: str) -> str:
        found = os.environ.get(variable) or given.get(name)
        if found is None:
            sys.exit(f"{_FILE} has no {name}, and the environment has no {variable}")
        return str(found)

    return Settings(
        setting("base_url", "OPENAI_BASE_URL"),
        setting("model", "OPENAI_MODEL"),
        setting("key", "OPENAI_API_KEY"),
        given.get("request", {}),
    )


def ask(model: Settings, messages: Sequence[Message], seconds: float) -> Reply:
    """Asks the model, and waits for so many seconds. Raises Failure.

    The request has a thread of its own: a timeout of the socket alone would not end a slow trickle.
    """
    answered: queue.SimpleQueue[Reply | Failure] = queue.SimpleQueue()

    def asking() -> None:
        answered.put(_answer(model, messages, seconds))

    threading.Thread(target=asking, daemon=True).start()
    try:
        answer = answered.get(timeout=seconds)
    except queue.Empty:
        raise Failure("too slow") from None
    if isinstance(answer, Failure):
        raise answer
    return answer


def _answer(model: Settings, messages: Sequence[Message], seconds: float) -> Reply | Failure:
    body = {"model": model.model, "messages": [*messages], **model.request}
    headers = {"Content-Type": "application/json"}
    if model.key:
        headers["Authorization"] = f"Bearer {model.key}"
    address = f"{model.base_url.rstrip('/')}/chat/completions"
    try:
        request = urllib.request.Request(address, json.dumps(body).encode(), headers)
        # A model on this machine is not asked through the proxy of the environment.
        is_here = urllib.parse.urlsplit(address).hostname in ("localhost", "127.0.0.1", "::1")
        proxies = urllib.request.ProxyHandler({} if is_here else None)
        with urllib.request.build_opener(proxies).open(request, timeout=seconds) as response:
            data = response.read(_MOST)
    except urllib.error.HTTPError as error:
        error.close()
        return Failure(f"HTTP {error.code}")
    except TimeoutError:
        return Failure("too slow")
    except urllib.error.URLError as error:
        return Failure("too slow" if isinstance(error.reason, TimeoutError) else "not reached")
    except (OSError, http.client.HTTPException, ValueError):
        return Failure("not reached")
    try:
        found = json.loads(data)
        usage = found.get("usage") or {}
        text = found["choices"][0]["message"]["content"] or ""
        return Reply(str(text), int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0)))
    except (ValueError, LookupError, TypeError, AttributeError):
        return Failure("no chat completion")


def number_in(text: str, count: int) -> int | None:
    """The last number of an answer, outside <think> tags, if it is from 0 to count - 1; else None."""
    spoken = re.sub(r"<think>.*?(</think>|$)", "", text, flags=re.DOTALL)
    numbers = re.findall(r"(?<![\w.-])\d{1,9}\b(?!\.\d)", spoken)
    return int(numbers[-1]) if numbers and int(numbers[-1]) < count else None
