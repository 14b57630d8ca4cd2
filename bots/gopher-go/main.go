// Gopher is a bot for the arena: it plays all five games, each by the tempo of
// the cards that are left. What it plays is in package strategy; this file and
// internal/link only carry turns there and answers back.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	arenav1 "gopher/internal/arena/v1"
	"gopher/internal/link"
	"gopher/strategy"
)

//go:generate go run ./internal/generate

// What the bot says of itself; bot.toml says the same.
const (
	name    = "gopher"
	version = "1.0"
	author  = "the arena"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	listen := flag.String("listen", os.Getenv("ARENA_LISTEN"), "`address` to listen on, unix:/PATH or HOST:PORT (default $ARENA_LISTEN, else 127.0.0.1:50051)")
	join := flag.String("join", "", "`address` HOST:PORT of a referee to join, with TLS HOST:PORT/sha256:FINGERPRINT, or HOST:PORT/tls to believe whom the system trusts (default $ARENA_JOIN, unless it is said where to listen)")
	token := flag.String("token", os.Getenv("ARENA_TOKEN"), "`token` to join with (default $ARENA_TOKEN)")
	instant := flag.Bool("instant", os.Getenv("ARENA_INSTANT") == "1", "answer every turn with action 0 at once (default $ARENA_INSTANT)")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("%s takes no argument such as %q; see --help", name, flag.Arg(0))
	}
	if *join == "" && *listen == "" {
		*join = os.Getenv("ARENA_JOIN")
	}
	if *listen == "" {
		*listen = "127.0.0.1:50051"
	}

	debug.SetGCPercent(400) // little is kept, so collect seldom
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	bot := &link.Bot{Description: description(), NewPlayer: newPlayer}
	if *instant {
		bot.NewPlayer = func(*arenav1.TableStart) link.Player { return first{} }
	}
	switch {
	case *join == "":
		return bot.Serve(stop, *listen)
	case *token == "":
		return errors.New("joining needs the token that the host of the tournament gave you: --token TOKEN")
	default:
		return bot.Join(stop, *join, *token)
	}
}

func description() *arenav1.DescribeResponse {
	return &arenav1.DescribeResponse{
		ProtocolVersion: 1,
		Name:            name,
		Version:         version,
		Author:          author,
		Language:        "go",
		Games: []arenav1.Game{
			arenav1.Game_GAME_NYURI,
			arenav1.Game_GAME_FORTY_ONE,
			arenav1.Game_GAME_NUR_MUT,
			arenav1.Game_GAME_KLEFTIS,
			arenav1.Game_GAME_HYRULE,
		},
	}
}

func newPlayer(start *arenav1.TableStart) link.Player { return strategy.New(start) }

// first plays the first action of every turn, to measure all but the thinking.
type first struct{}

func (first) Choose(*arenav1.Turn) int { return 0 }
