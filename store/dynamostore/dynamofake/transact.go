package dynamofake

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"zproxy/store/dynamostore/dynamofake/attribute"
	"zproxy/store/dynamostore/dynamofake/expression"
)

// The limits of transactions.
const (
	maxActions       = 100
	maxTransactBytes = 4 << 20
	maxToken         = 36
)

// transactWrite is TransactWriteItems.
type transactWrite struct {
	TransactItems          []transactAction
	ClientRequestToken     string
	ReturnConsumedCapacity string

	writes []*write
	sum    [sha256.Size]byte // of what makes it another transaction
}

// transactAction is one of the actions.
type transactAction struct {
	Put, Delete, Update, ConditionCheck *actionParameters
}

type actionParameters struct {
	TableName string
	Item, Key attribute.Item
	expressions
}

// kind is the action that there is; nil when there is not exactly one.
func (a *transactAction) kind() (p *actionParameters) {
	for _, is := range []*actionParameters{a.Put, a.Delete, a.Update, a.ConditionCheck} {
		if is != nil && p != nil {
			return nil
		}
		if is != nil {
			p = is
		}
	}
	return p
}

// action is the right that the action needs, and its parameters.
func (a *transactAction) action() (name string, p *actionParameters) {
	switch {
	case a.Put != nil:
		return "PutItem", a.Put
	case a.Delete != nil:
		return "DeleteItem", a.Delete
	case a.Update != nil:
		return "UpdateItem", a.Update
	}
	return "ConditionCheckItem", a.ConditionCheck
}

func (t *transactWrite) names() (out []string) {
	for i := range t.TransactItems {
		if p := t.TransactItems[i].kind(); p != nil {
			out = append(out, nameOf(p.TableName))
		}
	}
	return out
}

func (t *transactWrite) check() error {
	switch n := len(t.TransactItems); {
	case n == 0:
		return invalid("Value [] at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1")
	case n > maxActions:
		return invalid("1 validation error detected: Value '[...]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to %d", maxActions)
	case len(t.ClientRequestToken) > maxToken:
		return invalid("Value %s at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to %d", t.ClientRequestToken, maxToken)
	}
	bytes := 0
	for i := range t.TransactItems {
		a := &t.TransactItems[i]
		p := a.kind()
		switch {
		case p == nil && *a == (transactAction{}):
			return invalid("Invalid Request: TransactWriteRequest should contain Delete or Put or Update request")
		case p == nil:
			return invalid("TransactItems can only contain one of Check, Put, Update or Delete")
		}
		if a.ConditionCheck != nil && p.ConditionExpression == nil {
			return invalid("Value null at 'transactItems.%d.member.conditionCheck.conditionExpression' failed to satisfy constraint: Member must not be null", i+1)
		}
		w := &write{table: nameOf(p.TableName), item: p.Item, key: p.Key, check: a.ConditionCheck != nil}
		if err := checkValues(w.item); err != nil {
			return err
		}
		if err := w.take(&p.expressions); err != nil {
			return err
		}
		if a.Update != nil && w.update == nil {
			w.update = &expression.Update{} // it only makes the item
		}
		bytes += attribute.Size(w.item) + attribute.Size(w.key)
		t.writes = append(t.writes, w)
	}
	if bytes > maxTransactBytes {
		return invalid("Transaction payload size cannot exceed 4MB. Payload Size: %d", bytes)
	}
	text, err := json.Marshal(t.TransactItems)
	t.sum = sha256.Sum256(text)
	return err
}

// attempt is what is known of a token.
type attempt struct {
	sum     [sha256.Size]byte
	done    time.Time // when it was carried out; zero: not yet
	running bool      // a request with it waits to be carried out
}

// tokenLife is how long a token is known after it was carried out.
const tokenLife = 10 * time.Minute

// earlier finds the request that had the same token; nil when there was none, or long ago.
func (c *call) earlier(token string) *attempt {
	a := c.tokens[token]
	if a == nil || token == "" || !a.running && (a.done.IsZero() || c.now.Sub(a.done) >= tokenLife) {
		return nil
	}
	return a
}

func (t *transactWrite) run(c *call) (fields, error) {
	if a := c.earlier(t.ClientRequestToken); a != nil && !c.draw(c.faults.Forget) {
		switch {
		case a.sum != t.sum, c.draw(c.faults.Mismatch):
			return nil, fail(mismatch, "Tried to use the same ClientRequestToken with different parameters")
		case a.running, c.draw(c.faults.InProgress):
			return nil, fail(inProgress, "Transaction is in progress for client request token: %s",
				t.ClientRequestToken)
		}
		return t.replay(c), nil
	}
	changes, err := t.plan(c)
	if err != nil {
		return nil, err
	}
	for _, ch := range changes {
		c.pay(ch, 2)
		c.make(ch)
	}
	if t.ClientRequestToken != "" {
		c.tokens[t.ClientRequestToken] = &attempt{sum: t.sum, done: c.now}
	}
	return fields{{"ConsumedCapacity", c.used.consumedAll(t.ReturnConsumedCapacity, true)}}, nil
}

// replay answers a request that was carried out before. It pays for reading the items.
func (t *transactWrite) replay(c *call) fields {
	for _, w := range t.writes {
		if tb := c.tables[w.table]; tb != nil {
			c.charge(tb, nil, "", cost{reads: 2 * units(attribute.Size(w.item)+attribute.Size(w.key), readUnit)})
		}
	}
	return fields{{"ConsumedCapacity", c.used.consumedAll(t.ReturnConsumedCapacity, true)}}
}

// plan works out all changes, or the reasons why there are none.
func (t *transactWrite) plan(c *call) ([]*change, error) {
	changes := make([]*change, len(t.writes))
	seen := map[string]bool{}
	reasons := make(reasons, len(t.writes))
	for i, w := range t.writes {
		ch, err := c.prepare(w)
		var failed *failure
		if errors.As(err, &failed) && failed.kind == validation {
			reasons[i] = reason{code: "ValidationError", message: failed.message}
			continue
		}
		if err != nil {
			return nil, err
		}
		if seen[ch.id()] {
			return nil, invalid("Transaction request cannot include multiple operations on one item")
		}
		seen[ch.id()] = true
		changes[i] = ch
	}
	for i, ch := range changes {
		if ch != nil {
			reasons[i] = c.refuse(t.writes[i], ch)
		}
	}
	c.cancel(reasons)
	return changes, reasons.err()
}

// refuse says why one write of a transaction cannot be made, if so.
func (c *call) refuse(w *write, ch *change) reason {
	if c.held[ch.id()] != nil {
		return reason{code: "TransactionConflict", message: reasonText("TransactionConflict")}
	}
	if err := c.mayWrite(ch); err != nil {
		code := "ThrottlingError"
		if failureOf(err).kind == throughput {
			code = "ProvisionedThroughputExceeded"
		}
		return reason{code: code, message: reasonText(code)}
	}
	err := c.resolve(w, ch)
	var failed *conditionError
	switch {
	case errors.As(err, &failed):
		r := reason{code: "ConditionalCheckFailed", message: err.Error()}
		if w.check {
			r.message += "."
		}
		if failed.show {
			r.item = failed.item
		}
		return r
	case err != nil:
		return reason{code: "ValidationError", message: failureOf(err).message}
	}
	return reason{}
}

// reason is why an action of a transaction was not carried out; none without a code.
type reason struct {
	code, message string
	item          attribute.Item
}

// reasons are those of a transaction, one for each action.
type reasons []reason

// reasonText is what DynamoDB says of a reason.
func reasonText(code string) string {
	switch code {
	case "TransactionConflict":
		return "Transaction is ongoing for the item"
	case "ConditionalCheckFailed":
		return "The conditional request failed"
	case "ItemCollectionSizeLimitExceeded":
		return "Collection size exceeded."
	case "ProvisionedThroughputExceeded":
		return "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API."
	case "ThrottlingError":
		return "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
	}
	return "One or more parameter values were invalid"
}

// err is the error that a transaction with reasons ends with, nil when there are none.
func (r reasons) err() error {
	codes, list, any := make([]string, len(r)), make([]any, len(r)), false
	for i := range r {
		if r[i].code == "" {
			codes[i], list[i] = "None", fields{{"Code", "None"}}
			continue
		}
		any = true
		codes[i] = r[i].code
		out := fields{{"Code", r[i].code}, {"Message", r[i].message}}
		if r[i].item != nil {
			out = append(out, field{"Item", r[i].item})
		}
		list[i] = out
	}
	if !any {
		return nil
	}
	f := failureOf(fail(cancelled, "Transaction cancelled, please refer cancellation reasons for specific reasons [%s]",
		strings.Join(codes, ", ")))
	f.more = fields{{"CancellationReasons", list}}
	return f
}

// transactGet is TransactGetItems.
type transactGet struct {
	TransactItems          []struct{ Get *transactRead }
	ReturnConsumedCapacity string
}

type transactRead struct {
	TableName string
	Key       attribute.Item
	projected
}

func (t *transactGet) names() (out []string) {
	for _, i := range t.TransactItems {
		if i.Get != nil {
			out = append(out, nameOf(i.Get.TableName))
		}
	}
	return out
}

func (t *transactGet) check() error {
	switch n := len(t.TransactItems); {
	case n == 0:
		return invalid("Value null at 'transactItems' failed to satisfy constraint: Member must not be null")
	case n > maxActions:
		return invalid("1 validation error detected: Value '[...]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to %d", maxActions)
	}
	for _, i := range t.TransactItems {
		if i.Get == nil {
			return invalid("Value null at 'transactItems' failed to satisfy constraint: Member must not be null")
		}
		if err := i.Get.take(); err != nil {
			return err
		}
	}
	return nil
}

func (t *transactGet) run(c *call) (fields, error) {
	var responses []any
	reasons := make(reasons, len(t.TransactItems))
	bytes, seen := 0, map[string]bool{}
	for i, in := range t.TransactItems {
		table, err := c.table(nameOf(in.Get.TableName))
		if err != nil {
			return nil, err
		}
		if err := table.schema.checkKey(in.Get.Key); err != nil {
			reasons[i] = reason{code: "ValidationError", message: failureOf(err).message}
			continue
		}
		ch := &change{table: table}
		ch.key, _ = table.schema.itemKey(in.Get.Key)
		if seen[ch.id()] {
			return nil, invalid("Transaction request cannot include multiple operations on one item")
		}
		seen[ch.id()] = true
		if c.held[ch.id()] != nil {
			reasons[i] = reason{code: "TransactionConflict", message: reasonText("TransactionConflict")}
		}
		out := fields{}
		if item := c.get(table, ch.key, true, 2); item != nil {
			bytes += attribute.Size(item)
			out = append(out, field{"Item", c.spoil([]attribute.Item{in.Get.of(item)})[0]})
		}
		responses = append(responses, out)
	}
	c.cancel(reasons)
	if err := reasons.err(); err != nil {
		return nil, err
	}
	if bytes > maxTransactBytes {
		return nil, invalid("Aggregate size of the items in the transaction exceeds the limit of %d bytes",
			maxTransactBytes)
	}
	return fields{{"Responses", responses}, {"ConsumedCapacity", c.used.consumedAll(t.ReturnConsumedCapacity, true)}},
		nil
}
