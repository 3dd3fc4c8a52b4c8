package dynamostore

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// The limits of one TransactWriteItems.
const (
	maxTransactItems = 100
	maxTransactBytes = 4 << 20
)

// write is one item to be written, or deleted when it has no attributes, or to be given a new version alone.
type write struct {
	table      string
	key        item
	attributes item
	touch      bool               // only the version changes
	check      bool               // nothing changes: there is only the guard
	whole      string             // the whole key, by which the transaction knows the item
	version    ddb.AttributeValue // the new one
	guard      store.Guard
	seen       int64         // the version that a read found, 0 for no item
	read       bool          // whether a read looked for it
	expiry     string        // the attribute by which DynamoDB removes items of the space; empty: none, or a touch
	tried      bool          // an intent was asked for
	prewritten intentID      // the one that there is
	outside    *outsideWrite // of an item of another program; nil: it is of ours
	carries    int           // in how many indexes of its table the item may have keys
}

// at has the key of the item: a write of a bulk load has it in its attributes alone.
func (w *write) at() item {
	if w.attributes != nil {
		return w.attributes
	}
	return w.key
}

// condition is what must hold for the write, as DynamoDB's expression.
type condition struct {
	expression *string
	names      map[string]string
	values     item
}

// condition is what must hold for the write: its guard, and that no other transaction has an intent there.
func (w *write) condition() condition {
	switch {
	case w.outside != nil:
		return w.outside.condition(w)
	case w.guard == store.Blind:
		return w.blind().withoutIntent()
	case w.guard == store.Absent, w.guarded() && w.seen == 0:
		return condition{expression: aws.String("attribute_not_exists(" + partitionAttribute + ")")}
	case !w.guarded():
		return condition{expression: aws.String("attribute_not_exists(#i)"),
			names: map[string]string{"#i": intentAttribute}}
	}
	return versionIs(w.seen).withoutIntent()
}

// blind is what must hold for a write that has not looked what is there. Versions must grow, also where another
// process, whose clock is ahead, has written the item.
func (w *write) blind() condition {
	if w.attributes == nil {
		return condition{expression: aws.String("attribute_exists(#v)"),
			names: map[string]string{"#v": versionAttribute}}
	}
	return condition{expression: aws.String("attribute_not_exists(#v) OR #v < :v"),
		names: map[string]string{"#v": versionAttribute}, values: item{":v": w.version}}
}

// withoutIntent is a condition for an item that has no intent, either.
func (c condition) withoutIntent() condition {
	out := condition{expression: aws.String(*c.expression), names: maps.Clone(c.names), values: c.values}
	if strings.Contains(*c.expression, " OR ") {
		*out.expression = "(" + *c.expression + ")"
	}
	*out.expression += " AND attribute_not_exists(#i)"
	out.names["#i"] = intentAttribute
	return out
}

// guarded says that something must hold for the write.
func (w *write) guarded() bool {
	return w.guard == store.Absent || w.guard == store.Unchanged || w.guard == store.Blind
}

// failsForGood says that the write's condition can never hold again once it failed: versions grow.
func (w *write) failsForGood() bool {
	return w.guard == store.Unchanged && w.seen != 0 && w.outside == nil
}

// The most operands of one IN, and how many of these keep an expression below its limits.
const (
	maxOperands = 100
	maxVersions = 5 * maxOperands
)

// fragile says that the write might do harm if it was carried out a second time, after others had
// written: no condition keeps it from that.
func (w *write) fragile() bool {
	return !w.failsForGood() && (w.attributes != nil || !w.guarded() || w.guard == store.Blind || w.outside != nil)
}

// versionIs holds for an item of one of some versions.
func versionIs(versions ...int64) condition {
	c := condition{names: map[string]string{"#v": versionAttribute}, values: item{}}
	var lists []string
	for chunk := range slices.Chunk(versions, maxOperands) {
		operands := make([]string, len(chunk))
		for i, v := range chunk {
			operands[i] = ":" + strconv.Itoa(len(c.values))
			c.values[operands[i]] = encodeVersion(v)
		}
		lists = append(lists, "#v IN ("+strings.Join(operands, ",")+")")
	}
	c.expression = aws.String(strings.Join(lists, " OR "))
	return c
}

// longAgo is how old an entry is that no commit under way can have written. A commit ends within
// minutes, and DynamoDB refuses requests that were signed longer ago than that; the rest is for
// clocks that differ.
const longAgo = 24 * time.Hour

// leftover holds for an item that a loose delete may remove at once: one of which no row is there, or still
// to come. Between the guarded writes of its transaction and the delete, another may have put the item
// anew, for a row that is there again; and one for a row to come may be there since before. An item of
// the version of one that the guarded writes found and replaced is neither, since both are of one
// commit, when that is settled. Nor is an old one.
func leftover(replaced []int64, now time.Time) condition {
	c := versionIs(replaced...)
	if len(replaced) > 0 {
		*c.expression += " OR "
	}
	*c.expression += "#v < :old"
	c.values[":old"] = encodeVersion(versionAt(now.Add(-longAgo)))
	return c
}

func (w *write) transactItem() ddb.TransactWriteItem {
	c := w.condition()
	if w.check {
		return ddb.TransactWriteItem{ConditionCheck: &ddb.ConditionCheck{
			TableName: &w.table, Key: w.key, ConditionExpression: c.expression,
			ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
			ReturnValuesOnConditionCheckFailure: ddb.ReturnValuesOnConditionCheckFailureAllOld,
		}}
	}
	if w.updates() {
		change := w.update(&c)
		return ddb.TransactWriteItem{Update: &ddb.Update{
			TableName: &w.table, Key: w.key, ConditionExpression: c.expression, UpdateExpression: change,
			ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
			ReturnValuesOnConditionCheckFailure: ddb.ReturnValuesOnConditionCheckFailureAllOld,
		}}
	}
	if w.attributes == nil {
		return ddb.TransactWriteItem{Delete: &ddb.Delete{
			TableName: &w.table, Key: w.key, ConditionExpression: c.expression,
			ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
			ReturnValuesOnConditionCheckFailure: ddb.ReturnValuesOnConditionCheckFailureAllOld,
		}}
	}
	return ddb.TransactWriteItem{Put: &ddb.Put{
		TableName: &w.table, Item: w.attributes, ConditionExpression: c.expression,
		ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
		ReturnValuesOnConditionCheckFailure: ddb.ReturnValuesOnConditionCheckFailureAllOld,
	}}
}

// updates says whether the write leaves attributes of the item as they are.
func (w *write) updates() bool { return w.touch || w.outside != nil && w.outside.change != nil }

// update is the expression of such a write, whose names and values it adds to a condition: a touch gives the item a
// version.
func (w *write) update(c *condition) *string {
	if !w.touch {
		return w.outside.change.in(c)
	}
	c.values[":new"] = w.version
	return aws.String("SET #v = :new")
}

// request is the write in a batch, which has no conditions.
func (w *write) request() ddb.WriteRequest {
	if w.attributes == nil {
		return ddb.WriteRequest{DeleteRequest: &ddb.DeleteRequest{Key: w.key}}
	}
	return ddb.WriteRequest{PutRequest: &ddb.PutRequest{Item: w.attributes}}
}

// phases are the writes of a commit in the order in which they are made: loose puts, then those
// that are all made or none, then loose deletes.
type phases struct {
	before, atomic, after []write
	looks                 *looks // what must be as it was read; nil: nothing
}

func (p *phases) add(w write) {
	switch {
	case w.guard != store.Loose:
		p.atomic = append(p.atomic, w)
	case w.attributes != nil:
		p.before = append(p.before, w)
	case !w.read || w.seen != 0: // else there is nothing to delete
		p.after = append(p.after, w)
	}
}

// loose says whether there are writes before or after those that are made together.
func (p *phases) loose() bool { return len(p.before)+len(p.after) > 0 }

func (p *phases) len() int { return len(p.before) + len(p.atomic) + len(p.after) }

// stamp gives all puts one version, above those of the items that they replace. So the entries
// of a row have the version of the row, if they were written with it.
func (p *phases) stamp(c *clock) {
	seen := int64(0)
	for w := range slices.Values(slices.Concat(p.before, p.atomic)) {
		if w.outside == nil {
			seen = max(seen, w.seen)
		}
	}
	version := encodeVersion(c.after(seen))
	for _, list := range [][]write{p.before, p.atomic} {
		for i := range list {
			if list[i].version = version; list[i].attributes != nil && list[i].outside == nil {
				list[i].attributes[versionAttribute] = version
			}
		}
	}
}

// over are the guarded writes over items that are there, of which the versions are as asked for.
func (p *phases) over(which func(version int64) bool) (out []write) {
	for i := range p.atomic {
		w := &p.atomic[i]
		if w.guarded() && w.outside == nil && !w.touch && !w.check && w.seen != 0 && which(w.seen) {
			out = append(out, *w)
		}
	}
	return out
}

// replaced are the versions of the items that writes found, as many as one expression takes.
func replaced(writes []write) (versions []int64) {
	for i := range writes {
		versions = append(versions, writes[i].seen)
	}
	slices.Sort(versions)
	versions = slices.Compact(versions)
	return versions[:min(len(versions), maxVersions)]
}

// size is what DynamoDB counts for the write, or slightly more: the version as long as it may get.
func (w *write) size() int {
	if w.attributes == nil {
		return size(w.key)
	}
	return size(w.attributes) + versionSize
}

// inOneRequest says whether writes fit in one TransactWriteItems, with so many at the most.
func inOneRequest(writes []write, most int) bool {
	total := 0
	for i := range writes {
		total += writes[i].size()
	}
	return len(writes) <= most && total <= maxTransactBytes
}
