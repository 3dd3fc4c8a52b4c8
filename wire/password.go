package wire

import (
	"encoding/binary"
	"io"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/session/identity"
	"zproxy/sqlerr"
)

const msgPassword = 'p'

// authenticate wants the client to show that it is the user, unless it is trusted. Of a wrong password it says
// the same, after as many messages, as of a user that does not exist.
func (o *opening) authenticate(user string) (proved bool, err error) {
	if err := o.requireTLS(); err != nil {
		return false, err
	}
	credential := o.server.credential(user)
	if credential.Trusted {
		return false, o.trust()
	}
	who := attempt{networkOf(o.client), user}
	if err := o.server.attempts.await(o.stopping, who); err != nil {
		return false, err
	}
	right, err := o.askPassword(credential)
	if err != nil {
		return false, err
	}
	o.server.attempts.ended(who, right, time.Now())
	if !right {
		o.server.o.Log.Log(o.stopping, slog.LevelInfo, "password authentication failed", "client", o.net.RemoteAddr(),
			"user", user)
		return false, sqlerr.New(sqlerr.InvalidPassword, "password authentication failed for user \"%s\"", user)
	}
	return true, nil
}

// trust lets clients of this machine in.
func (o *opening) trust() error {
	if o.client.IsLoopback() {
		return nil
	}
	return sqlerr.New(sqlerr.InvalidAuthorization,
		"no role has a password yet, so only connections from the server's own machine are accepted").
		WithHint("Set a password there with ALTER ROLE ... PASSWORD, or start zproxy with --password-file.")
}

// askPassword speaks SCRAM with the client and says whether it knows the password.
func (o *opening) askPassword(credential identity.Credential) (bool, error) {
	offered := []string{mechanism}
	if o.binding != nil {
		offered = []string{mechanismBound, mechanism}
	}
	o.out.send(&pgproto3.AuthenticationSASL{AuthMechanisms: offered})
	body, err := o.passwordMessage()
	if err != nil {
		return false, err
	}
	x, err := o.newExchange(body, credential.Verifier)
	if err != nil {
		return false, err
	}
	challenge, err := x.challenge()
	if err != nil {
		return false, err
	}
	o.out.send(&pgproto3.AuthenticationSASLContinue{Data: []byte(challenge)})
	final, err := o.passwordMessage()
	if err != nil {
		return false, err
	}
	answer, err := x.prove(string(final))
	if err != nil || answer == "" || credential.Doomed {
		return false, err
	}
	o.out.send(&pgproto3.AuthenticationSASLFinal{Data: []byte(answer)})
	return true, nil
}

// passwordMessage sends what has been gathered and reads the client's answer, no byte
// more, and no more bytes than an unknown client may send.
func (o *opening) passwordMessage() ([]byte, error) {
	if err := o.out.flush(); err != nil {
		return nil, err
	}
	var head [5]byte
	if _, err := io.ReadFull(o.stream, head[:]); err != nil {
		return nil, err
	}
	if head[0] != msgPassword {
		return nil, violation("expected SASL response, got message type %d", head[0])
	}
	size := int64(int32(binary.BigEndian.Uint32(head[1:]))) - 4
	if size < 0 || size > smallMessage {
		return nil, violation("invalid message length")
	}
	body := make([]byte, size)
	_, err := io.ReadFull(o.stream, body)
	return body, cutShort(err)
}
