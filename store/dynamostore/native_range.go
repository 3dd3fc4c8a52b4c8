package dynamostore

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/encoding/ordered"
	"zproxy/store"
	"zproxy/types"
)

// edge is one end of a range of sort keys in native values: of the leading attributes, as far as
// it is known. All values known are equal to or beyond the edge.
type edge struct {
	values []types.Value
	open   bool // keys that begin with the values are outside
}

// low is the edge of the keys from some bytes on, which may be the encoding of values, what
// follows all keys that begin with such, or anything else.
func low(attributes []store.Attribute, from []byte) edge {
	values, rest := decodeSome(attributes, from)
	if len(rest) == 0 || len(values) == len(attributes) {
		return edge{values: values} // keys that begin with the values may be in
	}
	if values, ok := before(attributes, from); ok {
		return edge{values: values, open: true}
	}
	return edge{values: values}
}

// high is the edge of the keys below some bytes.
func high(attributes []store.Attribute, to []byte) edge {
	values, rest := decodeSome(attributes, to)
	if len(rest) == 0 {
		return edge{values: values, open: true}
	}
	if len(values) < len(attributes) {
		if values, ok := before(attributes, to); ok {
			return edge{values: values}
		}
	}
	return edge{values: values}
}

// decodeSome reads values as long as there are any that a key may have: no key has NULL, and bytes
// that can be read, but are not what the value would be written as, are a bound of some other kind.
func decodeSome(attributes []store.Attribute, key []byte) (values []types.Value, rest []byte) {
	for _, a := range attributes {
		v, rest, err := ordered.Decode(key, a.Type, false)
		if err != nil || v.IsNull() || !bytes.HasPrefix(key, ordered.Append(nil, v, false)) {
			break
		}
		values, key = append(values, v), rest
	}
	return values, key
}

// longestTail is more bytes than a successor is shorter than what it succeeds.
const longestTail = 16

// before reads values of which some bytes are the successor: the last byte that was not 0xff was
// counted up, and those behind it cut off.
func before(attributes []store.Attribute, key []byte) ([]types.Value, bool) {
	if len(key) == 0 || key[len(key)-1] == 0 {
		return nil, false
	}
	down := bytes.Clone(key)
	down[len(down)-1]--
	for range longestTail {
		if values, rest := decodeSome(attributes, down); len(values) > 0 && len(rest) == 0 {
			return values, true
		}
		down = append(down, 0xff)
	}
	return nil, false
}

// native is what a Query can say of sort keys: some attributes are equal to values, and the one
// behind them is between two, either of which may be missing.
type native struct {
	equal      []types.Value
	least      *types.Value
	greatest   *types.Value
	open       [2]bool // the ends themselves are outside
	impossible bool    // there are no such keys
}

// nativeRange is what can be said of the sort keys of a range. It may say less than the range does,
// never more.
func nativeRange(attributes []store.Attribute, r store.Range) native {
	from, to := low(attributes, r.From), edge{}
	if r.To != nil {
		to = high(attributes, r.To)
	}
	n := native{}
	for i := range min(len(from.values), len(to.values)) {
		if order := types.Compare(from.values[i], to.values[i]); order != 0 {
			n.impossible = order > 0
			break
		}
		n.equal = append(n.equal, from.values[i])
	}
	at := len(n.equal)
	ends := func(e edge) (*types.Value, bool) {
		if at < len(e.values) {
			return &e.values[at], e.open && at == len(e.values)-1
		}
		// Keys that begin with all that are equal are outside.
		n.impossible = n.impossible || e.open && at > 0 && len(e.values) == at
		return nil, false
	}
	n.least, n.open[0] = ends(from)
	n.greatest, n.open[1] = ends(to)
	n.impossible = n.impossible || r.To != nil && len(r.To) == 0
	return n
}

// condition says it in DynamoDB's words, if there is anything to say. It says false when no key
// is in it.
func (n *native) condition(attributes []store.Attribute, c *conditions) bool {
	if n.impossible {
		return false
	}
	for i, v := range n.equal {
		value, ok := nativeValue(v, maxSort)
		if !ok {
			return false
		}
		c.add(attributes[i].Name, "=", value)
	}
	if n.least == nil && n.greatest == nil {
		return true
	}
	at := attributes[len(n.equal)].Name
	least, greatest := n.end(n.least), n.end(n.greatest)
	switch {
	case least != nil && greatest != nil:
		c.between(at, least, greatest)
	case least != nil && n.open[0]:
		c.add(at, ">", least)
	case least != nil:
		c.add(at, ">=", least)
	case greatest != nil && n.open[1]:
		c.add(at, "<", greatest)
	case greatest != nil:
		c.add(at, "<=", greatest)
	}
	return true
}

// end is the attribute of an end, nil where there is none or no key holds it.
func (n *native) end(v *types.Value) ddb.AttributeValue {
	if v == nil {
		return nil
	}
	if value, ok := nativeValue(*v, maxSort); ok {
		return value
	}
	return nil
}

// conditions are what a Query demands of keys.
type conditions struct {
	terms  []string
	names  map[string]string
	values item
}

// newConditions demand a partition of a space of our own, whose value is always called so: see targets.
func newConditions(name string, partition ddb.AttributeValue) conditions {
	c := conditions{names: map[string]string{}, values: item{":pk": partition}}
	c.terms = append(c.terms, c.name(name)+" = :pk")
	return c
}

func (c *conditions) name(attribute string) string {
	name := "#k" + strconv.Itoa(len(c.names))
	c.names[name] = attribute
	return name
}

func (c *conditions) value(v ddb.AttributeValue) string {
	name := ":k" + strconv.Itoa(len(c.values))
	c.values[name] = v
	return name
}

func (c *conditions) add(attribute, op string, v ddb.AttributeValue) {
	c.terms = append(c.terms, c.name(attribute)+" "+op+" "+c.value(v))
}

func (c *conditions) between(attribute string, least, greatest ddb.AttributeValue) {
	c.terms = append(c.terms, c.name(attribute)+" BETWEEN "+c.value(least)+" AND "+c.value(greatest))
}

// expression joins the terms.
func (c *conditions) expression() *string {
	text := strings.Join(c.terms, " AND ")
	return &text
}

// behind is the item behind which a range of an index begins, in the direction of the scan, nil
// where it does not begin behind one. Items with equal keys of the index come in no order, so only
// such an item tells which came before. What comes back is the range with these keys in it.
func behind(o *store.Outside, r store.Range, reverse bool) (item, store.Range, error) {
	end := r.From
	if reverse {
		end = r.To
	} else if n := len(end); n == 0 || end[n-1] != 0 {
		return nil, r, nil
	} else {
		end = end[:n-1]
	}
	attributes := slices.Concat(o.Sort, o.Row)
	values, rest := decodeSome(attributes, end)
	if len(o.Row) == 0 || len(values) < len(attributes) || len(rest) > 0 {
		return nil, r, nil
	}
	start, _, err := nativeItem(o, store.Key{Partition: r.Partition, Sort: end})
	own := make([]byte, 0, len(end))
	for _, v := range values[:len(o.Sort)] {
		own = ordered.Append(own, v, false)
	}
	if reverse {
		r.To = ordered.Successor(own)
	} else {
		r.From = own
	}
	return start, r, err
}
