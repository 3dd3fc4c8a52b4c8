package notify

import (
	"slices"

	"zproxy/sqlerr"
)

// Intent is what LISTEN, UNLISTEN or NOTIFY wants to happen when the transaction commits.
type Intent struct {
	verb             verb
	channel, payload string // an empty channel: all
}

type verb uint8

const (
	listen verb = iota
	unlisten
	notify
)

// Listen wants to hear of a channel.
func Listen(channel string) Intent { return Intent{verb: listen, channel: channel} }

// Unlisten wants to hear of a channel no more, or with an empty name of none.
func Unlisten(channel string) Intent { return Intent{verb: unlisten, channel: channel} }

// Notify wants to say something on a channel.
func Notify(channel, payload string) Intent { return Intent{notify, channel, payload} }

// Add adds an intent to those of a transaction. The same notification is given once.
func Add(to []Intent, i Intent) ([]Intent, error) {
	switch {
	case i.verb == unlisten:
	case i.channel == "":
		return to, sqlerr.New(sqlerr.InvalidParameterValue, "channel name cannot be empty")
	case len(i.channel) > 63:
		return to, sqlerr.New(sqlerr.InvalidParameterValue, "channel name too long")
	case len(i.payload) > maxPayload:
		return to, sqlerr.New(sqlerr.InvalidParameterValue, "payload string too long")
	}
	if i.verb == notify && slices.Contains(to, i) {
		return to, nil
	}
	return append(to, i), nil
}
