package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	arenav1 "gopher/internal/arena/v1"
)

// Serve serves the protocol's service Bot at unix:/PATH or HOST:PORT until the
// context ends, which is no error.
func (bot *Bot) Serve(stop context.Context, address string) error {
	listener, err := listen(address)
	if err != nil {
		return fmt.Errorf("%s cannot listen on %s (%w): give another address with --listen", bot.Description.GetName(), address, err)
	}
	server := grpc.NewServer(
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}),
	)
	arenav1.RegisterBotServer(server, &service{bot: bot})
	defer context.AfterFunc(stop, server.Stop)()
	if listener.Addr().Network() == "tcp" {
		fmt.Fprintf(os.Stderr, "%s listens on %s; end it with Ctrl-C\n", bot.Description.GetName(), listener.Addr())
	}
	if err := server.Serve(listener); err != nil && stop.Err() == nil {
		return fmt.Errorf("%s cannot serve on %s any more: %w", bot.Description.GetName(), address, err)
	}
	return nil
}

func listen(address string) (net.Listener, error) {
	path, isUnix := strings.CutPrefix(address, "unix:")
	if !isUnix {
		return net.Listen("tcp", address)
	}
	if rest, ok := strings.CutPrefix(path, "//"); ok { // unix:///path is the same place
		path = rest
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeSocket {
		os.Remove(path) // left by a bot that was killed
	}
	return net.Listen("unix", path)
}

// service is the protocol's service Bot.
type service struct {
	arenav1.UnimplementedBotServer
	bot *Bot
}

// Describe says what the bot is.
func (s *service) Describe(_ context.Context, request *arenav1.DescribeRequest) (*arenav1.DescribeResponse, error) {
	return s.bot.describe(request), nil
}

// Play plays all tables of one stream.
func (s *service) Play(stream arenav1.Bot_PlayServer) error {
	tables := s.bot.newTables()
	for {
		batch, err := stream.Recv()
		if errors.Is(err, io.EOF) { // no more games come
			return nil
		}
		if err != nil { // the referee is gone
			return err
		}
		if response := tables.answer(batch); response != nil {
			if err := stream.Send(response); err != nil {
				return err
			}
		}
	}
}
