package system

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
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
var notifyFunctions = []*expr.Function{
	{Name: "pg_notify", Args: pg.Sig{pg.Text, pg.Text}, Result: types.OIDVoid, Volatility: expr.Volatile, NotStrict: true, Doc: "NOTIFY: tells the listeners of a channel a text when the transaction commits.", Fn2: notify},
	{Name: "pg_listening_channels", Args: pg.Sig{}, Result: pg.Text, Volatility: expr.Stable, Doc: "Channels that the session listens to.", Rows: listeningChannels},
	{Name: "pg_notification_queue_usage", Args: pg.Sig{}, Result: pg.Float8, Volatility: expr.Volatile, Doc: "Part of the room for notifications that is taken.", Fn0: notificationUsage},
}

func channels(c *expr.Context) (Channels, error) {
	if hostOf(c).Channels == nil {
		return nil, sqlerr.Unsupported("NOTIFY here")
	}
	return hostOf(c).Channels, nil
}

func notify(c *expr.Context, channel, payload types.Value) (types.Value, error) {
	all, err := channels(c)
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

func listeningChannels(c *expr.Context, _ []types.Value) expr.Set {
	all, err := channels(c)
	if err != nil {
		return func(yield func(types.Row, error) bool) { yield(nil, err) }
	}
	var items []types.Value
	for _, name := range all.Listening() {
		items = append(items, types.NewText(name))
	}
	return expr.SetOf(items)
}

func notificationUsage(c *expr.Context) (types.Value, error) {
	all, err := channels(c)
	if err != nil {
		return types.Null, err
	}
	return types.NewFloat(all.Usage()), nil
}
