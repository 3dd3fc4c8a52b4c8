package dynamostore

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/apd/v3"

	"zproxy/types"
)

// draw makes random attributes.
type draw struct{ *rand.Rand }

func inS(s string) ddb.AttributeValue { return &ddb.AttributeValueMemberS{Value: s} }

func inN(s string) ddb.AttributeValue { return &ddb.AttributeValueMemberN{Value: s} }

func (d draw) one(of ...string) string { return of[d.IntN(len(of))] }

func (d draw) text() string {
	return d.one("", "a", "é", "x.y", "#k0", ":v", "\x01", "long "+strings.Repeat("x", d.IntN(40)), "2024-02-29",
		"AQ==")
}

func (d draw) number() string {
	return d.one("0", "1", "-7", "10", "2000", "1.5", "-0.25", "1e20", "3e-5", "99999999999999999999999999999999999999",
		strconv.Itoa(d.IntN(1000)))
}

func (d draw) bytes() []byte {
	b := make([]byte, d.IntN(4))
	for i := range b {
		b[i] = byte(d.IntN(256))
	}
	return b
}

// scalar is one that a document of JSON has.
func (d draw) scalar() ddb.AttributeValue {
	switch d.IntN(4) {
	case 0:
		return inS(d.text())
	case 1:
		return inN(d.number())
	case 2:
		return &ddb.AttributeValueMemberBOOL{Value: d.IntN(2) == 0}
	}
	return &ddb.AttributeValueMemberNULL{Value: true}
}

// plain is what JSON has in so many levels, with a map or a list around.
func (d draw) plain(levels int) ddb.AttributeValue {
	member := func() ddb.AttributeValue {
		if levels == 0 || d.IntN(2) == 0 {
			return d.scalar()
		}
		return d.plain(levels - 1)
	}
	if d.IntN(3) == 0 {
		list := []ddb.AttributeValue{}
		for range d.IntN(4) {
			list = append(list, member())
		}
		return &ddb.AttributeValueMemberL{Value: list}
	}
	m := item{}
	for range d.IntN(4) {
		m[d.name()] = member()
	}
	return &ddb.AttributeValueMemberM{Value: m}
}

func (d draw) name() string {
	return d.one("a", "b.c", "é", "size", "#x", "[0]", " ", "k"+strconv.Itoa(d.IntN(9)))
}

// set is one of a kind, never empty.
func (d draw) set() ddb.AttributeValue {
	switch d.IntN(3) {
	case 0:
		return &ddb.AttributeValueMemberSS{Value: []string{"p", "q", "r"}[:1+d.IntN(3)]}
	case 1:
		return &ddb.AttributeValueMemberNS{Value: []string{"1", "2.5", "-30"}[:1+d.IntN(3)]}
	}
	return &ddb.AttributeValueMemberBS{Value: [][]byte{{0}, {1, 2}, {}}[:1+d.IntN(3)]}
}

// other is a document as another program may have it, with sets and binaries in it.
func (d draw) other(levels int) ddb.AttributeValue {
	switch d.IntN(6) {
	case 0:
		return d.set()
	case 1:
		return &ddb.AttributeValueMemberB{Value: d.bytes()}
	case 2:
		return d.scalar()
	}
	a := d.plain(0)
	if levels == 0 {
		return a
	}
	switch a := a.(type) {
	case *ddb.AttributeValueMemberM:
		for range 3 {
			a.Value[d.name()] = d.other(levels - 1)
		}
	case *ddb.AttributeValueMemberL:
		a.Value = append(a.Value, d.other(levels-1), d.other(levels-1))
	}
	return a
}

// changed is a document with a change somewhere in it, which leaves the types of all else as they are.
func (d draw) changed(a ddb.AttributeValue) ddb.AttributeValue {
	switch a := a.(type) {
	case *ddb.AttributeValueMemberM:
		m := maps.Clone(a.Value)
		name := d.name()
		if names := slices.Sorted(maps.Keys(m)); len(names) > 0 && d.IntN(3) > 0 {
			name = names[d.IntN(len(names))]
		}
		switch was, there := m[name]; {
		case !there:
			m[name] = d.plain(1)
		case d.IntN(3) == 0:
			delete(m, name)
		default:
			m[name] = d.changed(was)
		}
		return &ddb.AttributeValueMemberM{Value: m}
	case *ddb.AttributeValueMemberL:
		list := slices.Clone(a.Value)
		switch {
		case len(list) == 0 || d.IntN(3) == 0:
			list = append(list, d.plain(1))
		case d.IntN(2) == 0:
			list = list[:len(list)-1]
		default:
			i := d.IntN(len(list))
			list[i] = d.changed(list[i])
		}
		return &ddb.AttributeValueMemberL{Value: list}
	case *ddb.AttributeValueMemberSS:
		return &ddb.AttributeValueMemberSS{Value: d.changedSet(a.Value, strconv.Itoa(d.IntN(1000)))}
	case *ddb.AttributeValueMemberNS:
		return &ddb.AttributeValueMemberNS{Value: d.changedSet(a.Value, strconv.Itoa(7001+d.IntN(999)))}
	case *ddb.AttributeValueMemberBS:
		added := fmt.Appendf(nil, "%d", d.IntN(1000))
		if slices.ContainsFunc(a.Value, func(b []byte) bool { return bytes.Equal(b, added) }) {
			return a // a set has each of its members once
		}
		return &ddb.AttributeValueMemberBS{Value: append(slices.Clone(a.Value), added)}
	case *ddb.AttributeValueMemberB:
		return &ddb.AttributeValueMemberB{Value: append(slices.Clone(a.Value), 7)}
	}
	return d.scalar()
}

func (d draw) changedSet(set []string, more string) []string {
	if len(set) > 1 && d.IntN(2) == 0 {
		return set[:len(set)-1]
	}
	if slices.Contains(set, more) {
		return set
	}
	return append(slices.Clone(set), more)
}

// inWords tells attributes apart, but for what DynamoDB does not keep: the order of sets, and the zeros of numbers.
func inWords(a ddb.AttributeValue) string {
	switch a := a.(type) {
	case nil:
		return "none"
	case *ddb.AttributeValueMemberM:
		return "M" + itemInWords(a.Value)
	case *ddb.AttributeValueMemberL:
		var parts []string
		for _, e := range a.Value {
			parts = append(parts, inWords(e))
		}
		return "L[" + strings.Join(parts, ", ") + "]"
	case *ddb.AttributeValueMemberS:
		return "S " + strconv.Quote(a.Value)
	case *ddb.AttributeValueMemberN:
		return "N " + reducedText(a.Value)
	case *ddb.AttributeValueMemberB:
		return "B " + base64.StdEncoding.EncodeToString(a.Value)
	case *ddb.AttributeValueMemberBOOL:
		return "BOOL " + strconv.FormatBool(a.Value)
	case *ddb.AttributeValueMemberNULL:
		return "NULL"
	}
	var parts []string
	for _, e := range elements(a) {
		parts = append(parts, inWords(e))
	}
	slices.Sort(parts)
	return reflect.TypeOf(a).Elem().Name() + "<" + strings.Join(parts, ", ") + ">"
}

func itemInWords(i item) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(i)) {
		parts = append(parts, strconv.Quote(name)+": "+inWords(i[name]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func reducedText(number string) string {
	d, _, err := apd.NewFromString(number)
	if err != nil {
		return "no number: " + number
	}
	d.Reduce(d)
	return d.String()
}

func arrayTypeOf(t types.T) types.T {
	array, _ := types.ArrayOf(t)
	return array
}
