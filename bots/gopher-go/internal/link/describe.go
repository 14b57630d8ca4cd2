package link

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"os"
	"sync"

	"google.golang.org/protobuf/proto"

	arenav1 "gopher/internal/arena/v1"
)

// A contribution is the secret bytes that the bot pledges by their hash and puts
// into the deals, once, when it is told the commitment and all pledges: so not
// even the host can choose the deals.
type contribution struct {
	mutex sync.Mutex
	bytes []byte
}

// take returns the bytes; where they are to be given, others are pledged from now on.
func (c *contribution) take(give bool) []byte {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.bytes == nil {
		c.bytes = make([]byte, 16)
		rand.Read(c.bytes) // never fails
	}
	taken := c.bytes
	if give {
		c.bytes = nil
	}
	return taken
}

// describe says what the bot is, and gives its bytes where the request, which
// may be nil, has the pledges.
func (bot *Bot) describe(request *arenav1.DescribeRequest) *arenav1.DescribeResponse {
	give := len(request.GetPledges()) > 0
	bytes := bot.contribution.take(give)
	pledge := sha256.Sum256(bytes)
	description := proto.CloneOf(bot.Description)
	description.Pledge = pledge[:]
	if give {
		description.Contribution = bytes
		fmt.Fprintf(os.Stderr, "put into the deals: bytes %x, commitment %x, pledges %x\n", bytes, request.GetCommitment(), request.GetPledges())
	}
	return description
}
