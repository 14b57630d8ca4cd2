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
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	arenav1 "gopher/internal/arena/v1"
)

const (
	redialEvery = time.Second
	giveUpAfter = time.Minute // without a connection
	pingEvery   = 5 * time.Second
	pingTimeout = 5 * time.Second
)

// Join dials the referee at HOST:PORT, with TLS where the address goes on with
// whom to believe there, takes the seat of a token in its tournament and plays
// all its games. A connection that breaks is dialled again. It returns nil when
// the tournament is over or the context ends.
func (bot *Bot) Join(stop context.Context, lobby, token string) error {
	address, guard, err := guardOf(lobby)
	if err != nil {
		return err
	}
	connected, told, played := time.Now(), false, false
	for {
		welcomed, err := bot.joinOnce(stop, address, guard, &token)
		if stop.Err() != nil || errors.Is(err, io.EOF) {
			return nil
		}
		if distrust := guard.found.Load(); distrust != nil {
			return fmt.Errorf("the lobby at %s %w", address, distrust)
		}
		if welcomed {
			connected, told, played = time.Now(), false, true
		}
		switch code := status.Code(err); {
		case code == codes.Unavailable:
		case !welcomed && (code == codes.Canceled || code == codes.ResourceExhausted): // the lobby is crowded
		case code == codes.AlreadyExists && played: // the referee has yet to notice that we were cut off
		default:
			return fmt.Errorf("the referee at %s says: %s", address, sentence(err))
		}
		if time.Since(connected) > giveUpAfter {
			return fmt.Errorf("no connection to the referee at %s for %.0f seconds: %s", address, giveUpAfter.Seconds(), sentence(err))
		}
		if !told {
			fmt.Fprintf(os.Stderr, "no connection to the referee at %s (%s); dialling again for %.0f seconds\n", address, sentence(err), giveUpAfter.Seconds())
			told = true
		}
		select {
		case <-stop.Done():
			return nil
		case <-time.After(redialEvery):
		}
	}
}

// joinOnce plays over one connection for as long as it lasts, and says whether
// the referee welcomed the bot. The error is io.EOF at the tournament's end.
func (bot *Bot) joinOnce(stop context.Context, address string, believed credentials.TransportCredentials, token *string) (welcomed bool, err error) {
	connection, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(believed),
		grpc.WithContextDialer(dial),
		grpc.WithNoProxy(), // a proxy of the environment is for web pages
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{ // gRPC for Go makes at least 10 s of the first
			Time: pingEvery, Timeout: pingTimeout, PermitWithoutStream: true,
		}),
		grpc.WithDisableRetry(),
	)
	if err != nil {
		return false, err
	}
	defer connection.Close()
	stream, err := arenav1.NewLobbyClient(connection).Join(stop)
	if err != nil {
		return false, err
	}
	hello := &arenav1.JoinHello{Token: *token, Description: bot.describe(nil)}
	// Where sending fails the reason comes from Recv, here and below.
	_ = stream.Send(&arenav1.JoinRequest{Kind: &arenav1.JoinRequest_Hello{Hello: hello}})
	tables := bot.newTables()
	for {
		message, err := stream.Recv()
		if err != nil {
			return welcomed, err
		}
		if welcome := message.GetWelcome(); welcome != nil {
			welcomed = true
			if another := welcome.GetReturnToken(); another != "" {
				*token = another // which opens the seat from now on
			}
			fmt.Fprintf(os.Stderr, "playing as %s in %s\n", welcome.GetEntrant(), welcome.GetTournament())
		}
		if request := message.GetDescribe(); request != nil {
			_ = stream.Send(&arenav1.JoinRequest{Kind: &arenav1.JoinRequest_Description{Description: bot.describe(request)}})
		}
		if response := tables.answer(message.GetPlay()); response != nil {
			_ = stream.Send(&arenav1.JoinRequest{Kind: &arenav1.JoinRequest_Play{Play: response}})
		}
	}
}

// dial connects by TCP; the kernel's probes notice a silent peer as soon as
// gRPC's pings should, which gRPC for Go does not send that often.
func dial(ctx context.Context, address string) (net.Conn, error) {
	dialer := net.Dialer{
		Timeout:         5 * time.Second,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: pingEvery, Interval: time.Second, Count: 5},
	}
	return dialer.DialContext(ctx, "tcp", address)
}

// sentence is the text of a status on one line, or its code if it has none.
func sentence(err error) string {
	text := strings.Join(strings.Fields(status.Convert(err).Message()), " ")
	if _, cause, dialling := strings.Cut(text, "Error while dialing: "); dialling {
		text = strings.Trim(cause, `"`)
	}
	if text == "" {
		text = status.Code(err).String()
	}
	return text
}
