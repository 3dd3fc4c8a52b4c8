package dynamofake

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/internal/testseed"
)

// onlineModel is what a table with indexes that come and go must be: its items, and of each index only
// what it was asked for. What is in an index is worked out from the items each time.
type onlineModel struct {
	t       *testing.T
	random  *rand.Rand
	client  *dynamodb.Client
	now     time.Time
	delay   time.Duration
	items   map[int]attributes
	indexes map[string]*modelIndex
	refused int
	costs   map[float64]int // how often the indexes cost so many units
}

// modelIndex is an index, and until when it is made or removed.
type modelIndex struct {
	hash, sort string
	kind       ddb.ProjectionType
	ready      time.Time
	gone       time.Time // zero: it stays
}

// TestIndexModel makes and removes indexes and writes items, in any order and at any time, and compares the
// indexes and what writes cost with a model.
func TestIndexModel(t *testing.T) {
	first := testseed.Of(t)
	refused, costs := 0, map[float64]int{}
	for seed := first; seed < first+20; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := &onlineModel{t: t, random: rand.New(rand.NewPCG(seed, 3)), now: time.Unix(1_700_000_000, 0),
				items: map[int]attributes{}, indexes: map[string]*modelIndex{}, costs: costs}
			m.delay = []time.Duration{0, 10 * time.Second}[m.random.IntN(2)]
			f := New(Options{Seed: seed, Now: func() time.Time { return m.now }, TableDelay: m.delay,
				UnorderedTies: m.random.IntN(2) == 0})
			m.client = sdk(f, "")
			newTable(t, m.client)
			m.now = m.now.Add(m.delay)
			for range 300 {
				m.step()
			}
			refused += m.refused
		})
	}
	if refused < 100 || len(costs) < 4 {
		t.Errorf("%d writes were refused, and the indexes cost %v", refused, costs)
	}
}

// step does one thing, and sometimes compares all.
func (m *onlineModel) step() {
	m.t.Helper()
	m.now = m.now.Add(time.Duration(m.random.IntN(3)) * time.Second)
	maps.DeleteFunc(m.indexes, func(_ string, x *modelIndex) bool { return !x.gone.IsZero() && !m.now.Before(x.gone) })
	switch n := m.random.IntN(20); {
	case n < 2:
		m.create()
	case n < 3:
		m.remove()
	case n < 15:
		m.write()
	default:
		m.compare()
	}
}

// busy says whether an index is being made or removed.
func (m *onlineModel) busy(x *modelIndex) bool { return m.now.Before(x.ready) || !x.gone.IsZero() }

func (m *onlineModel) anyBusy() bool {
	for _, x := range m.indexes {
		if m.busy(x) {
			return true
		}
	}
	return false
}

func (m *onlineModel) name() string { return fmt.Sprint("index", m.random.IntN(4)) }

func (m *onlineModel) create() {
	name := m.name()
	keys := [][2]string{{"g", ""}, {"g", "h"}, {"h", ""}, {"h", "g"}, {"pk", "g"}}[m.random.IntN(5)]
	kind := []ddb.ProjectionType{"ALL", "KEYS_ONLY", "INCLUDE"}[m.random.IntN(3)]
	in := indexOf(name, keys[0], keys[1])
	in.Projection.ProjectionType = kind
	if kind == "INCLUDE" {
		in.Projection.NonKeyAttributes = []string{"x"}
	}
	err := createIndex(m.t, m.client, in)
	switch x := m.indexes[name]; {
	case x != nil && m.busy(x):
		says[*ddb.ResourceInUseException](m.t, err, "Index is being ")
	case x != nil:
		invalidSays(m.t, err, "already exists")
	case m.anyBusy():
		says[*ddb.LimitExceededException](m.t, err, "Only 1 online index")
	case err != nil:
		m.t.Error(err)
	default:
		m.indexes[name] = &modelIndex{hash: keys[0], sort: keys[1], kind: kind, ready: m.now.Add(m.delay)}
	}
}

func (m *onlineModel) remove() {
	name := m.name()
	err := deleteIndex(m.t, m.client, name)
	x := m.indexes[name]
	switch allocated := x != nil && !m.now.Before(x.ready.Add(-m.delay/2)); {
	case x == nil:
		says[*ddb.ResourceNotFoundException](m.t, err, name)
	case !x.gone.IsZero(), !allocated:
		says[*ddb.ResourceInUseException](m.t, err, name)
	case !m.now.Before(x.ready) && m.anyBusy():
		says[*ddb.LimitExceededException](m.t, err, "Only 1 online index")
	case err != nil:
		m.t.Error(err)
	default:
		x.gone = m.now.Add(m.delay)
	}
}

// draw is an item, of which some suit no index.
func (m *onlineModel) draw(n int) attributes {
	out := numbered(n)
	values := map[string][]ddb.AttributeValue{
		"g": {nil, text("a"), text("b"), text("c"), text(""), number(1), text(strings.Repeat("g", maxHash+1))},
		"h": {nil, number(1), number(2), number(3), number(4), number(5), text("1")},
		"x": {nil, text("x"), text("y")},
		"y": {nil, text("x"), text("y")},
	}
	for _, name := range sortedNames(values) {
		most := len(values[name])
		if m.random.IntN(4) > 0 { // mostly none that is no good
			most = min(most, 4)
		}
		if v := values[name][m.random.IntN(most)]; v != nil {
			out[name] = v
		}
	}
	return out
}

// write puts or deletes an item, in a transaction or not.
func (m *onlineModel) write() {
	n, times := m.random.IntN(12), 1.0
	var item attributes
	if m.random.IntN(5) > 0 {
		item = m.draw(n)
	}
	var used *ddb.ConsumedCapacity
	var err error
	const ask = ddb.ReturnConsumedCapacityIndexes
	switch {
	case m.random.IntN(3) == 0:
		times = 2
		a := ddb.TransactWriteItem{Delete: &ddb.Delete{TableName: table1, Key: numbered(n)}}
		if item != nil {
			a = ddb.TransactWriteItem{Put: &ddb.Put{TableName: table1, Item: item}}
		}
		out, failed := m.client.TransactWriteItems(m.t.Context(), &dynamodb.TransactWriteItemsInput{
			TransactItems: []ddb.TransactWriteItem{a}, ReturnConsumedCapacity: ask})
		if err = failed; err == nil {
			used = &out.ConsumedCapacity[0]
		}
	case item != nil:
		out, failed := m.client.PutItem(m.t.Context(),
			&dynamodb.PutItemInput{TableName: table1, Item: item, ReturnConsumedCapacity: ask})
		if err = failed; err == nil {
			used = out.ConsumedCapacity
		}
	default:
		out, failed := m.client.DeleteItem(m.t.Context(),
			&dynamodb.DeleteItemInput{TableName: table1, Key: numbered(n), ReturnConsumedCapacity: ask})
		if err = failed; err == nil {
			used = out.ConsumedCapacity
		}
	}
	m.wrote(n, item, used, times, err)
}

// wrote checks the answer to a write, and keeps the item.
func (m *onlineModel) wrote(n int, item attributes, used *ddb.ConsumedCapacity, times float64, err error) {
	m.t.Helper()
	for name, x := range m.indexes {
		if !x.suits(item) {
			m.refused++
			if err == nil {
				m.t.Errorf("index %s takes %v", name, item)
			}
			return
		}
	}
	if err != nil {
		m.t.Errorf("%v: %v", item, err)
		return
	}
	for name, x := range m.indexes {
		want := times * x.cost(m.items[n], item)
		m.costs[want]++
		if got := aws.ToFloat64(used.GlobalSecondaryIndexes[name].CapacityUnits); got != want {
			m.t.Errorf("from %v to %v costs index %s of %v %v units, should cost %v", m.items[n], item, name, *x, got,
				want)
		}
	}
	delete(m.items, n)
	if item != nil {
		m.items[n] = item
	}
}

// fits says whether a value can be in a key.
func fits(name string, v ddb.AttributeValue) bool {
	if s, ok := v.(*ddb.AttributeValueMemberS); ok {
		return (name == "g" || name == "pk") && s.Value != "" && len(s.Value) < maxSort
	}
	return name == "h"
}

// suits says whether an item may be written while there is the index.
func (x *modelIndex) suits(item attributes) bool {
	for _, name := range []string{x.hash, x.sort} {
		if v, ok := item[name]; ok && !fits(name, v) {
			return false
		}
	}
	return true
}

// entry is what the index has of an item; nil for none.
func (x *modelIndex) entry(item attributes) attributes {
	keys := []string{x.hash}
	if x.sort != "" {
		keys = append(keys, x.sort)
	}
	for _, name := range keys {
		if v, ok := item[name]; !ok || !fits(name, v) {
			return nil
		}
	}
	out := attributes{}
	for name, v := range item {
		if x.kind == "ALL" || x.kind == "INCLUDE" && name == "x" ||
			slices.Contains(append(keys, "pk", "sk"), name) {
			out[name] = v
		}
	}
	return out
}

// unitsOf is what it takes to write an entry. One is small, or has the largest of the values in draw.
func unitsOf(entry attributes) float64 {
	if len(shownItem(entry)) > writeUnit {
		return 3
	}
	return 1
}

// cost is what the index costs when an item becomes another.
func (x *modelIndex) cost(old, new attributes) float64 {
	was, is := x.entry(old), x.entry(new)
	switch {
	case shownItem(was) == shownItem(is):
		return 0
	case was == nil:
		return unitsOf(is)
	case is == nil:
		return unitsOf(was)
	}
	for _, name := range []string{x.hash, x.sort} {
		if name != "" && shownItem(attributes{name: was[name]}) != shownItem(attributes{name: is[name]}) {
			return unitsOf(was) + unitsOf(is)
		}
	}
	return max(unitsOf(was), unitsOf(is))
}

// shownItem is an item as text.
func shownItem(i attributes) string {
	var out []string
	for _, name := range sortedNames(i) {
		switch v := i[name].(type) {
		case *ddb.AttributeValueMemberS:
			out = append(out, name+" S "+v.Value)
		case *ddb.AttributeValueMemberN:
			out = append(out, name+" N "+v.Value)
		}
	}
	return strings.Join(out, ", ")
}

// compare reads all indexes, and what the table tells of them.
func (m *onlineModel) compare() {
	m.t.Helper()
	shown := states(m.t, m.client)
	for name, x := range m.indexes {
		var want []string
		for _, item := range m.items {
			if e := x.entry(item); e != nil {
				want = append(want, shownItem(e))
			}
		}
		if !m.busy(x) && !strings.Contains(shown, fmt.Sprint(name, " ACTIVE ", len(want))) {
			m.t.Errorf("%s has %d items, and the table tells %s", name, len(want), shown)
		}
		out, err := m.client.Scan(m.t.Context(), &dynamodb.ScanInput{TableName: table1, IndexName: &name})
		if m.busy(x) {
			invalidSays(m.t, err, name)
			continue
		}
		if err != nil {
			m.t.Error(err)
			continue
		}
		var got []string
		for _, item := range out.Items {
			got = append(got, shownItem(item))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			m.t.Errorf("index %s of %v has %v, should have %v", name, *x, got, want)
		}
	}
	if n := strings.Count(shown, "index"); n != len(m.indexes) {
		m.t.Errorf("%d indexes, and the table tells %s", len(m.indexes), shown)
	}
}
