package inspect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"zproxy/store/sample"
)

// design is a table with random items whose kinds are known.
type design struct {
	name  string
	table sample.Table
	kinds []truth
	items []sample.Item
	of    []int // the kind of each item; wrong: it is malformed
	*rand.Rand
}

// wrong is the kind of items that no program of the design would write.
const wrong = -1

// truth is what should be found of a kind: the options and the definitions of columns as DDL has them.
type truth struct {
	when    string
	options []string
	columns []string
}

func newDesign(name string, seed uint64, indexes ...string) *design {
	d := &design{name: name, Rand: rand.New(rand.NewPCG(seed, uint64(len(name))))}
	d.table = sample.Table{Name: "App", Partition: sample.Attribute{Name: "PK", Type: sample.String},
		Sort: sample.Attribute{Name: "SK", Type: sample.String}, Stream: "none", Recovery: "off"}
	for _, x := range indexes {
		d.table.Indexes = append(d.table.Indexes, sample.Index{Name: x, Keys: []sample.Attribute{
			{Name: x + "PK", Type: sample.String}, {Name: x + "SK", Type: sample.String},
		}})
	}
	return d
}

// kind adds what should be found of a kind, and gives its number.
func (d *design) kind(when string, options, columns []string) int {
	d.kinds = append(d.kinds, truth{when, options, columns})
	return len(d.kinds) - 1
}

func (d *design) add(kind int, item sample.Item) {
	d.items, d.of = append(d.items, item), append(d.of, kind)
}

// sample is the items in random order.
func (d *design) sample() *sample.Sample {
	d.Shuffle(len(d.items), func(i, j int) {
		d.items[i], d.items[j] = d.items[j], d.items[i]
		d.of[i], d.of[j] = d.of[j], d.of[i]
	})
	d.table.Items = int64(len(d.items))
	return &sample.Sample{Table: d.table, Items: d.items}
}

// item makes an item of names and values: texts are strings, numbers are numbers, and so on. A name with a question
// mark is of an optional attribute.
func (d *design) item(pairs ...any) sample.Item {
	item := sample.Item{}
	for i := 0; i < len(pairs); i += 2 {
		name, optional := strings.CutSuffix(pairs[i].(string), "?")
		if optional && d.IntN(3) == 0 {
			continue
		}
		item[name] = valueOf(pairs[i+1])
	}
	return item
}

// other is a value of a type of which inference needs no text.
type other sample.Type

func valueOf(v any) sample.Value {
	switch v := v.(type) {
	case string:
		return sample.Value{Type: sample.String, Text: v}
	case bool:
		return sample.Value{Type: sample.Bool, Text: fmt.Sprint(v)}
	case other:
		return sample.Value{Type: sample.Type(v)}
	case decimal:
		return sample.Value{Type: sample.Number, Text: string(v)}
	}
	return sample.Value{Type: sample.Number, Text: fmt.Sprint(v)}
}

func (d *design) uuid() string {
	h := d.hex(32)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func (d *design) hex(n int) string { return d.letters("0123456789abcdef", n) }

func (d *design) letters(of string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = of[d.IntN(len(of))]
	}
	return string(out)
}

func (d *design) ulid() string { return "01H" + d.letters("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 23) }

func (d *design) moment() string {
	return time.Unix(1_700_000_000+d.Int64N(40_000_000), 0).UTC().Format(time.RFC3339)
}

func (d *design) day() string { return d.moment()[:10] }

func (d *design) email() string { return d.user() + fmt.Sprint(d.IntN(100)) + "@example.com" }

var firstNames = strings.Fields(`alice bob carol dave erin frank grace heidi ivan judy mallory niaj olivia peggy rupert
	sybil trent victor walter wendy yan zoe amir bea chen dora`)

// user is a name, often with a digit.
func (d *design) user() string {
	name := firstNames[d.IntN(len(firstNames))]
	if d.IntN(2) == 0 {
		name += fmt.Sprint(d.IntN(90))
	}
	return name
}

func (d *design) one(of ...string) string { return of[d.IntN(len(of))] }

// users are different names.
func (d *design) users(n int) (out []string) {
	for len(out) < n {
		if u := d.user(); !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

func (d *design) text() string {
	var words []string
	for range 3 + d.IntN(8) {
		words = append(words, d.one("the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog"))
	}
	return strings.Join(words, " ")
}

// decimal is a number that is given as a text.
type decimal string

func (d *design) price() decimal { return decimal(fmt.Sprintf("%d.%02d", d.IntN(500), 1+d.IntN(99))) }
