package dynamofake

import (
	"encoding/binary"
	"net/http"
	"slices"
	"strings"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// Faults are what may go wrong, each with its probability for one request.
type Faults struct {
	// Only says which requests faults may happen to; nil: all.
	Only func(*Request) bool
	// Deny says what the client's rights do not include, such as dynamodb:PutItem on a table; nil: nothing.
	// Transactions need the rights of their parts.
	Deny func(action, table string) bool

	Throttle      float64 // the request is refused for one of Reasons
	ErrorBefore   float64 // a 500 or 503, and nothing is done
	ErrorAfter    float64 // a 500 or 503, though all is done
	CutBefore     float64 // the connection is cut, and nothing is done
	CutAfter      float64 // the connection is cut, though all is done
	Delay         float64 // a write is answered with a cut or a 500, and is carried out some requests later
	Conflict      float64 // of a write with an unseen transaction
	Cancel        float64 // a transaction is cancelled for one of Cancellations
	InProgress    float64 // a transaction's token is said to be in use, when it was used before
	Forget        float64 // a token is not known any more, as after ten minutes
	Mismatch      float64 // a token that was used before is said to have had other parameters
	Partial       float64 // a batch is done in part
	Lag           float64 // an eventual read sees an item as it was: the probability for one item
	Pages         float64 // a page ends after a few items
	Garbage       float64 // an item of an answer has attributes missing, or of another type
	Expire        float64 // before the request half of the items that are past their TTL go
	Reasons       []string
	Cancellations []string
}

// of are the faults that may happen to a request.
func (f Faults) of(r *Request) Faults {
	if f.Only != nil && !f.Only(r) {
		return Faults{}
	}
	return f
}

// draw says whether something happens.
func (c *call) draw(probability float64) bool {
	return probability > 0 && c.random.Float64() < probability
}

// Reasons are all reasons for throttling. {Table|Index} and {Read|Write} make 16 of four.
func Reasons() (out []string) {
	for _, resource := range []string{"Table", "Index"} {
		for _, what := range []string{"Read", "Write"} {
			for _, why := range []string{
				provisionedExceeded, accountExceeded, keyRangeExceeded, onDemandExceeded,
			} {
				out = append(out, resource+what+why)
			}
		}
	}
	return out
}

// The ends of the reasons for throttling.
const (
	provisionedExceeded = "ProvisionedThroughputExceeded"
	accountExceeded     = "AccountLimitExceeded"
	keyRangeExceeded    = "KeyRangeThroughputExceeded"
	onDemandExceeded    = "MaxOnDemandThroughputExceeded"
)

// Cancellations are the reasons for which a transaction may be cancelled by no fault of its own.
func Cancellations() []string {
	return []string{"TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError",
		"ItemCollectionSizeLimitExceeded"}
}

// pick draws one of a list, or of another when that is empty.
func (c *call) pick(list, otherwise []string) string {
	if len(list) == 0 {
		list = otherwise
	}
	return list[c.random.IntN(len(list))]
}

// perform carries a request out, or not, as its faults have it.
func (c *call) perform(r request) (fields, *answer, error) {
	f := &c.faults
	if err := c.denied(r); err != nil {
		return nil, nil, err
	}
	switch {
	case c.draw(f.CutBefore):
		return nil, &answer{cut: true}, nil
	case c.draw(f.ErrorBefore):
		return nil, c.broken(), nil
	case c.draw(f.Throttle):
		return nil, nil, c.throttled()
	case c.draw(f.Delay):
		if c.delay(r) {
			return nil, c.lost(), nil
		}
	}
	out, err := r.run(c)
	switch {
	case c.draw(f.CutAfter):
		return nil, &answer{cut: true}, nil
	case c.draw(f.ErrorAfter):
		return nil, c.broken(), nil
	}
	return out, nil, err
}

// denied refuses a request of which a part is not allowed.
func (c *call) denied(r request) error {
	if c.faults.Deny == nil {
		return nil
	}
	if t, ok := r.(*transactWrite); ok {
		for i := range t.TransactItems {
			action, p := t.TransactItems[i].action()
			if err := c.deny(action, nameOf(p.TableName)); err != nil {
				return err
			}
		}
		return nil
	}
	for _, table := range c.Tables {
		if err := c.deny(c.Op, table); err != nil {
			return err
		}
	}
	if len(c.Tables) == 0 {
		return c.deny(c.Op, "*")
	}
	return nil
}

func (c *call) deny(action, table string) error {
	action = "dynamodb:" + action
	if !c.faults.Deny(action, table) {
		return nil
	}
	return fail(accessDenied,
		"User: arn:aws:iam::000000000000:user/fake is not authorized to perform: %s on resource: "+
			"arn:aws:dynamodb:us-east-1:000000000000:table/%s because no identity-based policy allows the %s action", action, table, action)
}

// broken is the answer of a server that fails.
func (c *call) broken() *answer {
	if c.random.IntN(2) == 0 {
		return &answer{status: http.StatusServiceUnavailable,
			body: []byte(`{"__type":"com.amazon.coral.availability#ServiceUnavailable","message":"Service is unavailable."}`)}
	}
	f := failureOf(fail(internalError, "Internal server error"))
	return &answer{status: f.status, body: f.body()}
}

// lost is what a client gets that shall not know.
func (c *call) lost() *answer {
	if c.random.IntN(2) == 0 {
		return &answer{cut: true}
	}
	return c.broken()
}

// throttled is a refusal for a reason that is drawn among those that fit the operation.
func (c *call) throttled() error {
	fit := slices.DeleteFunc(Reasons(), func(r string) bool { return strings.Contains(r, "Read") != c.reads() })
	resource := ""
	if len(c.Tables) > 0 {
		resource = c.Tables[c.random.IntN(len(c.Tables))]
	}
	why := c.pick(c.faults.Reasons, fit)
	if strings.HasPrefix(why, "Index") {
		resource += "/index/any"
	}
	return throttle(why, resource, c.random.IntN(2) == 0)
}

// reads says whether the operation only reads.
func (c *call) reads() bool {
	switch c.Op {
	case "PutItem", "DeleteItem", "UpdateItem", "BatchWriteItem", "TransactWriteItems":
		return false
	}
	return true
}

// part says of each element of a batch whether it is done: of all, or of those before a place
// that is drawn.
func (c *call) part() (keep func() bool) {
	if !c.draw(c.faults.Partial) {
		return func() bool { return true }
	}
	share := c.random.Float64()
	return func() bool { return c.random.Float64() < share }
}

// cancel draws a reason for one action of a transaction that has none.
func (c *call) cancel(r reasons) {
	code := ""
	switch {
	case len(r) == 0:
		return
	case c.draw(c.faults.Conflict):
		code = "TransactionConflict"
	case c.draw(c.faults.Cancel):
		code = c.pick(c.faults.Cancellations, Cancellations())
	}
	if i := c.random.IntN(len(r)); code != "" && r[i].code == "" {
		r[i] = reason{code: code, message: reasonText(code)}
	}
}

// spoil makes garbage of one of some items, if it is drawn. Items are others' too, so what is
// spoiled is a copy.
func (c *call) spoil(items []attribute.Item) []attribute.Item {
	if len(items) == 0 || !c.draw(c.faults.Garbage) {
		return items
	}
	n := c.random.IntN(len(items))
	spoiled := attribute.Item{}
	names := sortedNames(items[n])
	hit := c.random.IntN(max(1, len(names)))
	for i, name := range names {
		switch {
		case i != hit:
			spoiled[name] = items[n][name]
		case c.random.IntN(3) > 0:
			spoiled[name] = c.otherKind(items[n][name].Kind)
		}
	}
	items[n] = spoiled
	return items
}

// otherKind is a value of another kind than one.
func (c *call) otherKind(k attribute.Kind) attribute.Value {
	all := []attribute.Value{
		{Kind: attribute.S, Text: "\u0000garbage"}, {Kind: attribute.N, Text: "-0.5"}, {Kind: attribute.B}, {Kind: attribute.BOOL},
		{Kind: attribute.NULL}, {Kind: attribute.M}, {Kind: attribute.L}, {Kind: attribute.NS, List: []attribute.Value{{Kind: attribute.N, Text: "1"}}},
	}
	for {
		if v := all[c.random.IntN(len(all))]; v.Kind != k {
			return v
		}
	}
}

// lagSeed is drawn once for a request, so that it sees an item in one state.
func (c *call) lagSeed() string {
	if c.lag == "" {
		c.lag = string(binary.LittleEndian.AppendUint64(nil, c.random.Uint64()))
	}
	return c.lag
}
