package expr

import (
	"zproxy/sqlerr"
	"zproxy/types"
)

// Channels are what LISTEN and NOTIFY are about.
type Channels interface {
	// Notify tells the listeners of a channel something once the transaction commits.
	Notify(channel, payload string) error
	// Listening are the channels that the session listens to.
	Listening() []string
	// Usage is the part of the room for notifications that is taken.
	Usage() float64
}

// notifyFunctions are about channels.
var notifyFunctions = []*Function{
	{Name: "pg_notify", Args: sig{text, text}, Result: types.OIDVoid, Volatility: Volatile, NotStrict: true, Doc: "NOTIFY: tells the listeners of a channel a text when the transaction commits.", Fn2: notify},
	{Name: "pg_listening_channels", Args: sig{}, Result: text, Volatility: Stable, Doc: "Channels that the session listens to.", Rows: listeningChannels},
	{Name: "pg_notification_queue_usage", Args: sig{}, Result: float8, Volatility: Volatile, Doc: "Part of the room for notifications that is taken.", Fn0: notificationUsage},
}

func (c *Context) channels() (Channels, error) {
	if hostOf(c).Channels == nil {
		return nil, sqlerr.Unsupported("NOTIFY here")
	}
	return hostOf(c).Channels, nil
}

func notify(c *Context, channel, payload types.Value) (types.Value, error) {
	all, err := c.channels()
	if err != nil {
		return types.Null, err
	}
	or := func(v types.Value) string {
		if v.IsNull() {
			return ""
		}
		return v.Text()
	}
	return types.NewText(""), all.Notify(or(channel), or(payload))
}

func listeningChannels(c *Context, _ []types.Value) Set {
	all, err := c.channels()
	if err != nil {
		return func(yield func(types.Row, error) bool) { yield(nil, err) }
	}
	var items []types.Value
	for _, name := range all.Listening() {
		items = append(items, types.NewText(name))
	}
	return setOf(items)
}

func notificationUsage(c *Context) (types.Value, error) {
	all, err := c.channels()
	if err != nil {
		return types.Null, err
	}
	return types.NewFloat(all.Usage()), nil
}
