// Package collation orders texts as languages do, by the tables of golang.org/x/text. An Order is a locale with its
// options, such as de-u-co-phonebk, as a small number that a value carries. A text has a sort key in an order: texts
// compare as their sort keys do as bytes, and those of equal keys by their own bytes unless the order is one in which
// they are equal. The names by which PostgreSQL knows locales are in Builtin. Read Order first, then Parse.
package collation

import (
	"bytes"
	"strings"
	"sync"

	"golang.org/x/text/cases"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// Order is how texts compare; 0 is by their bytes. The numbers are those of one process: Text is what is kept.
type Order uint32

// The bits of an order: the table of its language, counted from 1, its options, and whether texts of equal sort keys
// are equal.
const (
	tableMask      = 1<<8 - 1
	strengthShift  = 8
	strengthMask   = 1<<3 - 1
	alternateShift = 11
	alternateMask  = 1<<2 - 1
	numericShift   = 13
	caseLevelShift = 14
	backwardsShift = 15
	loose          = Order(1 << 16)
)

// Version is that of the tables, which the catalog keeps with each collation.
const Version = collate.CLDRVersion + "." + collate.UnicodeVersion

// Deterministic says whether different texts are never equal.
func (o Order) Deterministic() bool { return o&loose == 0 }

// Valid says whether a number is an order.
func (o Order) Valid() bool {
	table := int(o & tableMask)
	return table > 0 && table <= len(tables())
}

// Compare orders two texts: -1, 0 or 1.
func (o Order) Compare(a, b string) int {
	if a == b {
		return 0
	}
	c := o.collator()
	defer o.free(c)
	c.keys.Reset()
	sign := bytes.Compare(c.KeyFromString(&c.keys, a), c.KeyFromString(&c.keys, b))
	if sign == 0 && o.Deterministic() {
		return strings.Compare(a, b)
	}
	return sign
}

// Lower is a text in lower case, as the language of the order has it.
func (o Order) Lower(s string) string { return cases.Lower(o.tag()).String(s) }

// Upper is a text in upper case.
func (o Order) Upper(s string) string { return cases.Upper(o.tag()).String(s) }

// Title is a text with the first letter of each word in upper case, and the others in lower case.
func (o Order) Title(s string) string { return cases.Title(o.tag()).String(s) }

// AppendKey appends the sort key of a text. It has no bytes of the text itself.
func (o Order) AppendKey(dst []byte, s string) []byte {
	c := o.collator()
	defer o.free(c)
	c.keys.Reset()
	return append(dst, c.KeyFromString(&c.keys, s)...)
}

// collator makes sort keys in one order. One goroutine uses it at a time.
type collator struct {
	*collate.Collator
	keys collate.Buffer
}

// collators are those that are free, in pools by their orders.
var collators = sync.OnceValue(func() *sync.Map { return &sync.Map{} })

func (o Order) pool() *sync.Pool {
	o &^= loose
	if p, ok := collators().Load(o); ok {
		return p.(*sync.Pool)
	}
	p, _ := collators().LoadOrStore(o, &sync.Pool{New: func() any {
		return &collator{Collator: collate.New(o.tag())}
	}})
	return p.(*sync.Pool)
}

func (o Order) collator() *collator { return o.pool().Get().(*collator) }

func (o Order) free(c *collator) { o.pool().Put(c) }

// tag is the locale and the options as a language tag.
func (o Order) tag() language.Tag {
	text := o.locale()
	t, err := language.Raw.Parse(text)
	if err != nil {
		return language.Und
	}
	return t
}
