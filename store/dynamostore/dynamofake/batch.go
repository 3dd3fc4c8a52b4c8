package dynamofake

import (
	"maps"
	"slices"
	"strings"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// The limits of batches.
const (
	maxBatchWrites = 25
	maxBatchKeys   = 100
	maxBatchBytes  = 16 << 20
)

// batchWrite is BatchWriteItem.
type batchWrite struct {
	RequestItems           map[string][]batchAction
	ReturnConsumedCapacity string
}

// batchAction is one of the writes.
type batchAction struct {
	PutRequest    *struct{ Item attribute.Item }
	DeleteRequest *struct{ Key attribute.Item }
}

func (b *batchWrite) names() (out []string) {
	for name := range b.RequestItems {
		out = append(out, nameOf(name))
	}
	return out
}

func (b *batchWrite) check() error {
	n := 0
	for _, name := range slices.Sorted(maps.Keys(b.RequestItems)) {
		if len(b.RequestItems[name]) == 0 {
			return invalid("The batch write request list for a table cannot be null or empty: %s", name)
		}
		n += len(b.RequestItems[name])
		for _, a := range b.RequestItems[name] {
			if (a.PutRequest == nil) == (a.DeleteRequest == nil) {
				return invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
			}
			if a.PutRequest != nil {
				if err := checkValues(a.PutRequest.Item); err != nil {
					return err
				}
			}
		}
	}
	switch {
	case n == 0:
		return invalid("BatchWriteItem cannot have a null or no requests set")
	case n > maxBatchWrites:
		return invalid("Too many items requested for the BatchWriteItem call")
	}
	return nil
}

// write is the write of an action.
func (a *batchAction) write(table string) *write {
	if a.PutRequest != nil {
		return &write{table: table, item: a.PutRequest.Item}
	}
	return &write{table: table, key: a.DeleteRequest.Key}
}

func (b *batchWrite) run(c *call) (fields, error) {
	changes := map[string][]*change{}
	seen, bytes, n := map[string]bool{}, 0, 0
	for _, name := range slices.Sorted(maps.Keys(b.RequestItems)) {
		for _, a := range b.RequestItems[name] {
			w := a.write(nameOf(name))
			ch, err := c.prepare(w)
			if err != nil {
				return nil, err
			}
			if seen[ch.id()] {
				return nil, invalid("Provided list of item keys contains duplicates")
			}
			seen[ch.id()] = true
			bytes += attribute.Size(w.item)
			n++
			changes[name] = append(changes[name], ch)
		}
	}
	if bytes > maxBatchBytes {
		return nil, invalid("Item collection too large: the size of the batch is over %d bytes", maxBatchBytes)
	}
	left := map[string][]batchAction{}
	keep := c.part()
	var refused error
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		for i, ch := range changes[name] {
			err := c.mayWrite(ch)
			if err != nil || !keep() || c.held[ch.id()] != nil {
				refused = err
				left[name] = append(left[name], b.RequestItems[name][i])
				continue
			}
			n--
			c.pay(ch, 1)
			c.make(ch)
		}
	}
	if len(seen) == n && refused != nil { // none was made
		return nil, refused
	}
	return fields{
		{"UnprocessedItems", unprocessed(left)},
		{"ConsumedCapacity", c.used.consumedAll(b.ReturnConsumedCapacity, false)},
	}, nil
}

// unprocessed gives back the writes that were not made.
func unprocessed(left map[string][]batchAction) fields {
	out := fields{}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		var list []any
		for _, a := range left[name] {
			if a.PutRequest != nil {
				list = append(list, fields{{"PutRequest", fields{{"Item", a.PutRequest.Item}}}})
			} else {
				list = append(list, fields{{"DeleteRequest", fields{{"Key", a.DeleteRequest.Key}}}})
			}
		}
		out = append(out, field{name, list})
	}
	return out
}

// batchGet is BatchGetItem.
type batchGet struct {
	RequestItems           map[string]*keysAndAttributes
	ReturnConsumedCapacity string
}

// keysAndAttributes are the keys of one table.
type keysAndAttributes struct {
	Keys           []attribute.Item
	ConsistentRead bool
	projected
}

func (b *batchGet) names() (out []string) {
	for name := range b.RequestItems {
		out = append(out, nameOf(name))
	}
	return out
}

func (b *batchGet) check() error {
	n := 0
	for _, name := range slices.Sorted(maps.Keys(b.RequestItems)) {
		k := b.RequestItems[name]
		if len(k.Keys) == 0 {
			return invalid("The list of keys in RequestItems for BatchGetItem is required: %s has empty list", name)
		}
		n += len(k.Keys)
		if err := k.take(); err != nil {
			return err
		}
	}
	switch {
	case n == 0:
		return invalid("BatchGetItem must have some requests set")
	case n > maxBatchKeys:
		return invalid("Too many items requested for the BatchGetItem call")
	}
	return nil
}

func (b *batchGet) run(c *call) (fields, error) {
	var responses, left fields
	keep, bytes, served := c.part(), 0, 0
	var refused error
	for _, name := range slices.Sorted(maps.Keys(b.RequestItems)) {
		k := b.RequestItems[name]
		t, err := c.table(nameOf(name))
		if err != nil {
			return nil, err
		}
		if err := distinct(t, k.Keys); err != nil {
			return nil, err
		}
		found, unread := []attribute.Item{}, []attribute.Item{}
		inPartition := map[string]int{}
		for _, key := range k.Keys {
			p, _ := t.schema.itemKey(key)
			err := c.mayRead(t, nil, p.partition)
			if err != nil || !keep() || bytes > maxBatchBytes || inPartition[p.partition] > maxPage {
				refused = err
				unread = append(unread, key)
				continue
			}
			served++
			item := c.get(t, p, k.ConsistentRead, 1)
			bytes += attribute.Size(item)
			inPartition[p.partition] += attribute.Size(item)
			if item != nil {
				found = append(found, k.of(item))
			}
		}
		c.random.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
		responses = append(responses, field{name, c.spoil(found)})
		if len(unread) > 0 {
			left = append(left, field{name, k.again(unread)})
		}
	}
	if served == 0 && refused != nil {
		return nil, refused
	}
	return fields{
		{"Responses", responses}, {"UnprocessedKeys", append(fields{}, left...)},
		{"ConsumedCapacity", c.used.consumedAll(b.ReturnConsumedCapacity, false)},
	}, nil
}

// distinct checks the keys of one table.
func distinct(t *table, keys []attribute.Item) error {
	seen := map[string]bool{}
	for _, key := range keys {
		if err := t.schema.checkKey(key); err != nil {
			return err
		}
		p, _ := t.schema.itemKey(key)
		id := p.partition + "\x00" + strings.Join(p.sort, "\x00")
		if seen[id] {
			return invalid("Provided list of item keys contains duplicates")
		}
		seen[id] = true
	}
	return nil
}

// again asks for keys that were not read, with the parameters that they had.
func (k *keysAndAttributes) again(keys []attribute.Item) fields {
	out := fields{{"Keys", keys}, {"ConsistentRead", k.ConsistentRead}}
	if k.ProjectionExpression != nil {
		out = append(out, field{"ProjectionExpression", *k.ProjectionExpression})
	}
	if k.ExpressionAttributeNames != nil {
		names := fields{}
		for _, n := range slices.Sorted(maps.Keys(k.ExpressionAttributeNames)) {
			names = append(names, field{n, k.ExpressionAttributeNames[n]})
		}
		out = append(out, field{"ExpressionAttributeNames", names})
	}
	return out
}
