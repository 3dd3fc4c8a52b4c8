package dynamostore

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// Items of other programs have no version. What a write rests on is that all attributes which have columns are as a
// read found them, and it changes no others: a value that another program writes at the same time is never lost.
// Neither have they intents, so that no transaction writes more of them than one request does.

// outsideWrite is what the write of an item of another program also needs.
type outsideWrite struct {
	space *store.Space
	names []string // of the attributes that columns have
	found item     // what a read found of these; nil: no item
	// change makes the item from the one that was found; nil: it is put or deleted as a whole.
	change *documentChange
}

// anewAttribute stands in the payload of a put over an item that the transaction has deleted. No attribute has that
// name.
const anewAttribute = ""

// knownNames are the attributes of a space that statements know, with those of the key.
func knownNames(s *store.Space) []string {
	var names []string
	for _, a := range slices.Concat(s.Outside.Partition, s.Outside.Sort, s.Outside.Others) {
		names = append(names, a.Name)
	}
	for i := range s.Columns {
		if name := s.Columns[i].Name; name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// knownOf are the attributes of an item that statements know.
func knownOf(s *store.Space, attributes item) item {
	if attributes == nil {
		return nil
	}
	out := item{}
	for _, name := range knownNames(s) {
		if a, there := attributes[name]; there {
			out[name] = a
		}
	}
	return out
}

// rememberOutside keeps what a read has found of an item of another program. Its fingerprint is its version.
func (t *txn) rememberOutside(s *store.Space, at string, attributes item, now seen, latest bool) error {
	if known := knownOf(s, attributes); known != nil {
		now.version = fingerprintOf(known)
		if t.found == nil {
			t.found = map[string]map[int64]item{}
		}
		if t.found[at] == nil {
			t.found[at] = map[int64]item{}
		}
		t.found[at][now.version] = known
	}
	return t.reads.note(at, now, latest, t.mode.Serializable)
}

// forgetFound forgets what reads have found that no write rests on.
func (t *txn) forgetFound() {
	maps.DeleteFunc(t.found, func(at string, _ map[int64]item) bool {
		_, rests := t.over[at]
		return !rests
	})
}

// putOutside implements Put for an item of another program.
func (t *txn) putOutside(s *store.Space, i store.Item, g store.Guard) error {
	at := overlayKey(s, i.Key)
	if err := t.mayWrite(s, at, g); err != nil {
		return err
	}
	var base item
	own, wrote := t.own.Get([]byte(at), nil)
	over, rests := t.over[at]
	switch {
	case wrote && !own.Delete:
		base = own.Payload
	case !wrote && rests && g != store.Absent:
		base = t.found[at][over]
	}
	attributes, err := encodeOutsideItem(s, i, base)
	if err != nil {
		return err
	}
	if n := size(attributes); n > maxOutsideItem {
		return fmt.Errorf("dynamodb: %w", &store.TooLarge{Space: s.Name, Bytes: n, Most: maxOutsideItem})
	}
	if wrote && own.Delete && own.Guard != store.Absent {
		attributes[anewAttribute] = &ddb.AttributeValueMemberNULL{Value: true}
	}
	return t.own.Put(s.Home(), i.Key, attributes, plain(g))
}

// maxOutsideItem is DynamoDB's limit on an item, names and values together.
const maxOutsideItem = 400 << 10

// encodeOutsideItem makes the attributes of an item that another program reads, from those that it has.
func encodeOutsideItem(s *store.Space, i store.Item, base item) (item, error) {
	key, ok, err := nativeItem(s.Outside, i.Key)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue,
			"DynamoDB table \"%s\" cannot hold an item with this key", s.Outside.Table).
			WithDetail("A key is not empty, has no more than %d bytes in its partition and %d in its sort attribute, "+
				"and numbers of up to %d digits.", maxPartition, maxSort, maxDigits)
	}
	out := maps.Clone(key)
	maps.Copy(out, base) // which has the numbers of the key as DynamoDB writes them: no update may name one
	for c := range s.Columns {
		column := &s.Columns[c]
		if _, inKey := key[column.Name]; inKey || column.Name == "" {
			continue
		}
		if i.Values[c].IsNull() {
			if before := out[column.Name]; before != nil && holds(before, column.Type) {
				delete(out, column.Name)
			}
			continue
		}
		a, err := encodeOutside(s.Outside, column, i.Values[c], out[column.Name])
		if err != nil {
			known := sqlerr.From(err)
			known.Column = column.Name
			return nil, known
		}
		out[column.Name] = a
	}
	var before types.Row
	if base != nil && hasTexts(s.Outside) {
		before = make(types.Row, len(s.Columns))
		if err := decodeOutsideColumns(s, allColumns(s), base, before); err != nil {
			return nil, err
		}
	}
	return out, writeOthers(s, i.Values, before, out)
}

// allColumns are the ordinals of the columns of a space.
func allColumns(s *store.Space) []int {
	out := make([]int, len(s.Columns))
	for i := range out {
		out[i] = i
	}
	return out
}

// mayWriteOutside wants all writes of a transaction with items of other programs to fit in one request.
func (t *txn) mayWriteOutside(s *store.Space) error {
	if s.Outside != nil {
		t.outside = s.Outside.Table
	}
	if t.outside == "" || t.mode.NonAtomic || t.own.Len() < t.store.together {
		return nil
	}
	together := 0
	for own := range t.own.All {
		if own.Guard != store.Loose {
			together++
		}
	}
	if together < t.store.together {
		return nil
	}
	return tooManyOutside(t.outside, t.store.together)
}

// tooManyOutside refuses more writes than one request makes.
func tooManyOutside(table string, most int) error {
	return sqlerr.New(sqlerr.ProgramLimitExceeded,
		"a transaction that writes DynamoDB table \"%s\" cannot write more than %d items", table, most).
		WithDetail("Larger transactions keep their state in the items, which other programs would not understand.").
		WithHint("Write fewer rows in each transaction.")
}

// outsideWrite is the write of the commit for one of the transaction.
func (t *txn) outsideWrite(s *store.Space, own *overlay.Write[item]) (write, error) {
	key, _, err := nativeItem(s.Outside, splitKey(own))
	if err != nil {
		return write{}, err
	}
	over, read := t.over[own.Key]
	of := &outsideWrite{space: s, names: knownNames(s)}
	w := write{table: s.Outside.Table, key: key, whole: own.Key, guard: own.Guard, seen: over, read: read, outside: of}
	if over != 0 {
		of.found = t.found[own.Key][over]
	}
	if c := of.condition(&w); c.expression != nil && len(*c.expression) > maxExpression {
		return w, sqlerr.New(sqlerr.ProgramLimitExceeded,
			"the foreign table of DynamoDB table \"%s\" has too many columns to be written", w.table)
	}
	if own.Delete {
		return w, nil
	}
	w.attributes = maps.Clone(own.Payload)
	_, anew := w.attributes[anewAttribute]
	delete(w.attributes, anewAttribute)
	if of.found == nil || anew || w.guard == store.Absent {
		return w, nil
	}
	of.change = changeOf(of.found, w.attributes)
	w.check = of.change.empty()
	return w, of.change.fits(s.Outside.Table)
}

// condition is what must hold for the write.
func (o *outsideWrite) condition(w *write) condition {
	if !w.guarded() {
		return condition{}
	}
	c := condition{names: map[string]string{"#k": o.space.Outside.Partition[0].Name}}
	if w.guard == store.Absent || o.found == nil {
		c.expression = aws.String("attribute_not_exists(#k)")
		return c
	}
	terms := []string{"attribute_exists(#k)"}
	for _, name := range o.names {
		if _, inKey := w.key[name]; inKey {
			continue
		}
		at := "#c" + strconv.Itoa(len(c.names))
		c.names[at] = name
		a, there := o.found[name]
		if !there {
			terms = append(terms, "attribute_not_exists("+at+")")
			continue
		}
		if c.values == nil {
			c.values = item{}
		}
		value := ":c" + strconv.Itoa(len(c.values))
		c.values[value] = a
		terms = append(terms, at+" = "+value)
	}
	c.expression = aws.String(strings.Join(terms, " AND "))
	return c
}

// outsideOf is a table of other programs that a transaction has written, empty where it has written none.
func outsideOf(own *overlay.Overlay[item], spaces map[store.SpaceID]store.Space) string {
	for w := range own.All {
		if s := spaces[overlay.SpaceOf(w.Key)]; s.Outside != nil {
			return s.Outside.Table
		}
	}
	return ""
}

// outsideTable is the table of other programs that one of some writes is in, empty where none is.
func outsideTable(writes []write) string {
	i := slices.IndexFunc(writes, func(w write) bool { return w.outside != nil })
	if i < 0 {
		return ""
	}
	return writes[i].table
}

// outsideRefusal is DynamoDB's refusal of writes for what they are, such as a value of another type than an index of
// the table has.
func outsideRefusal(writes []write, err error) error {
	table := outsideTable(writes)
	if table == "" {
		return nil
	}
	var cancel *ddb.TransactionCanceledException
	if errors.As(err, &cancel) {
		for i, r := range cancel.CancellationReasons {
			if i < len(writes) && writes[i].outside != nil && aws.ToString(r.Code) == "ValidationError" {
				return refusedTo(err, "write", writes[i].table, aws.ToString(r.Message))
			}
		}
		return nil
	}
	if refusal := outsideRefused(err, "write", table); refusal != nil {
		return refusal
	}
	return nil
}

// ofAnotherKind is the error of writes that failed for items which their foreign tables do not show: no later try ends
// otherwise.
func ofAnotherKind(writes []write, err error) error {
	for _, o := range obstacles(writes, err) {
		if o.of == nil || o.write.outside == nil || o.write.seen != 0 {
			continue
		}
		if space := o.write.outside.space; !ofKind(space, o.of) {
			var key []string
			for _, a := range keyOfRow(space.Outside) {
				key = append(key, shown(o.of[a.Name]))
			}
			return sqlerr.New(sqlerr.UniqueViolation,
				"an item of another kind has the key in DynamoDB table \"%s\"", o.write.table).
				WithDetail("Key (%s) already exists.", strings.Join(key, ", "))
		}
	}
	return nil
}
