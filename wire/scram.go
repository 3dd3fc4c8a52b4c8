package wire

import (
	"encoding/binary"
	"strings"

	"github.com/xdg-go/scram"

	"zproxy/catalog/password"
	"zproxy/sqlerr"
)

// The mechanisms by which a client shows that it knows a password. The second one ties it
// to the TLS connection, so that no relay in between can pass it on.
const (
	mechanism      = "SCRAM-SHA-256"
	mechanismBound = "SCRAM-SHA-256-PLUS"
)

// exchange is one conversation about a password.
type exchange struct {
	first string // the client's message that began it
	nonce string // as the messages have it, with its name
	bound bool
	conv  *scram.ServerConversation
}

// newExchange takes the client's first message: the mechanism that it has chosen, and the
// data for that. The name that the client gives in there is ignored, as by PostgreSQL: who
// it is, the StartupMessage has said.
func (o *opening) newExchange(body []byte, v password.Verifier) (*exchange, error) {
	chosen, rest, found := strings.Cut(string(body), "\x00")
	switch {
	case !found:
		return nil, violation("invalid string in message")
	case chosen != mechanism && (chosen != mechanismBound || o.binding == nil):
		return nil, violation("client selected an invalid SASL authentication mechanism")
	case len(rest) < 4 || int64(binary.BigEndian.Uint32([]byte(rest))) > int64(len(rest)-4):
		return nil, violation("insufficient data left in message")
	case int64(binary.BigEndian.Uint32([]byte(rest))) < int64(len(rest)-4):
		return nil, malformed(nil)
	}
	x := &exchange{first: rest[4:], bound: chosen == mechanismBound}
	server, err := scram.SHA256.NewServer(func(string) (scram.StoredCredentials, error) {
		return scram.StoredCredentials{
			KeyFactors: scram.KeyFactors{Salt: string(v.Salt), Iters: v.Iterations},
			StoredKey:  v.StoredKey, ServerKey: v.ServerKey,
		}, nil
	})
	if err != nil {
		return nil, err
	}
	if o.server.nonce != nil {
		server = server.WithNonceGenerator(o.server.nonce)
	}
	x.conv = server.NewConversationWithChannelBinding(scram.ChannelBinding{Type: scram.ChannelBindingTLSServerEndpoint,
		Data: o.binding})
	return x, nil
}

// challenge is the server's answer to the first message.
func (x *exchange) challenge() (string, error) {
	if err := x.check(); err != nil {
		return "", err
	}
	challenge, err := x.conv.Step(x.first)
	switch {
	case err == nil:
		x.nonce, _, _ = strings.Cut(challenge, ",")
		return challenge, nil
	case challenge == scram.ErrServerDoesSupportChannelBinding: // a relay has hidden that from the client
		return "", sqlerr.New(sqlerr.InvalidAuthorization, "SCRAM channel binding negotiation error").
			WithDetail("%s", "The client supports SCRAM channel binding but thinks the server does not.  However, this server does support channel binding.")
	}
	return "", malformedSCRAM(err)
}

// check refuses what the first message may not ask for.
func (x *exchange) check() error {
	fields := append(strings.SplitN(x.first, ",", 3), "", "", "")
	kind, binds := strings.CutPrefix(fields[0], "p=")
	switch {
	case x.bound && !binds:
		return violation("malformed SCRAM message").
			WithDetail("The client selected %s, but the SCRAM message does not include channel binding data.",
				mechanismBound)
	case !x.bound && binds:
		return violation("malformed SCRAM message").
			WithDetail("The client selected %s without channel binding, but the SCRAM message includes channel binding data.", mechanism)
	case binds && kind != string(scram.ChannelBindingTLSServerEndpoint):
		return violation("unsupported SCRAM channel-binding type \"%s\"", kind)
	case strings.HasPrefix(fields[1], "a="):
		return sqlerr.New(sqlerr.FeatureNotSupported, "client uses authorization identity, but it is not supported")
	case strings.HasPrefix(fields[2], "m="):
		return sqlerr.New(sqlerr.FeatureNotSupported, "client requires an unsupported SCRAM extension")
	}
	return nil
}

// prove takes the client's proof and answers with the server's own, empty when the
// password is wrong.
func (x *exchange) prove(final string) (string, error) {
	answer, err := x.conv.Step(final)
	switch {
	case err == nil:
		return answer, nil
	case answer == scram.ErrInvalidProof:
		return "", nil
	case answer == scram.ErrChannelBindingsDontMatch && x.bound:
		return "", sqlerr.New(sqlerr.InvalidAuthorization, "SCRAM channel binding check failed")
	case answer == scram.ErrChannelBindingsDontMatch:
		return "", violation("unexpected SCRAM channel-binding attribute in client-final-message")
	case answer == scram.ErrOtherError && !strings.Contains(final, ","+x.nonce+","):
		return "", violation("invalid SCRAM response").WithDetail("Nonce does not match.")
	}
	return "", malformedSCRAM(err)
}

func malformedSCRAM(cause error) error {
	return sqlerr.Wrap(cause, sqlerr.ProtocolViolation, "malformed SCRAM message")
}
