package collation

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed locales.txt
var locales string

// The numbers of the collations that PostgreSQL has without ICU.
const (
	Default = 100
	C       = 950
	POSIX   = 951
	ucs     = 12340
)

// Named is a collation that is always there, in pg_catalog.
type Named struct {
	OID    uint32
	Name   string
	Locale string // of ICU; empty: it orders by bytes
	Order  Order
}

// builtin has the collations that are always there by their numbers and names.
type builtin struct {
	all    []Named
	byOID  map[uint32]*Named
	byName map[string]*Named
}

// known reads the locales. Their numbers are those that PostgreSQL 15 with ICU 72 gives them; new ones come behind
// all others.
var known = sync.OnceValue(func() *builtin {
	b := &builtin{byOID: map[uint32]*Named{}, byName: map[string]*Named{}}
	b.all = []Named{{OID: Default, Name: "default"}, {OID: C, Name: "C"}, {OID: POSIX, Name: "POSIX"},
		{OID: ucs, Name: "ucs_basic"}}
	for line := range strings.Lines(locales) {
		number, locale, _ := strings.Cut(strings.TrimSpace(line), " ")
		oid, err := strconv.ParseUint(number, 10, 32)
		order, bad := Parse(locale, true)
		if err != nil || bad != nil {
			continue // TestBuiltin finds it
		}
		b.all = append(b.all, Named{OID: uint32(oid), Name: locale + "-x-icu", Locale: locale, Order: order})
	}
	for i := range b.all {
		n := &b.all[i]
		b.byOID[n.OID], b.byName[n.Name] = n, n
	}
	return b
})

// Builtin are the collations that are always there, in the order of their numbers.
func Builtin() []Named { return known().all }

// ByOID finds one by its number.
func ByOID(oid uint32) (Named, bool) {
	if n := known().byOID[oid]; n != nil {
		return *n, true
	}
	return Named{}, false
}

// ByName finds one by its name in pg_catalog.
func ByName(name string) (Named, bool) {
	if n := known().byName[name]; n != nil {
		return *n, true
	}
	return Named{}, false
}
