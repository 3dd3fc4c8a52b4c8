package advice

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/normal"
)

// mostlyDates is the share of the known values of a text that must be dates for it to be called one of dates.
const mostlyDates = 0.9

// dateForms are the ways of ISO 8601 to write a date, as patterns in which 0 stands for a digit. The last two sort in
// other places than the first; how to_date reads them is beside them.
var dateForms = []struct{ pattern, reads, like string }{
	{"0000-00-00", "", ""},
	{"0000-W00-0", `IYYY-"W"IW-ID`, "____-W__-_%"},
	{"0000-000", "YYYY-DDD", "____-___"},
}

// mixedDates tells of a text in a key some of whose values are dates in one form, and some in another.
func mixedDates(k *key) (finding, bool) {
	for _, c := range textsOf(k) {
		values, forms := knownTexts(k, c.ID), [3]int{}
		dates := 0
		for _, v := range values {
			if i := dateForm(v); i >= 0 {
				forms[i]++
				dates++
			}
		}
		one := max(forms[0], forms[1], forms[2]) == dates
		if one || float64(dates) < mostlyDates*float64(len(values)) {
			continue
		}
		var ddl []string
		for i, f := range dateForms {
			if f.reads != "" && forms[i] > 0 {
				column := expr.QuoteIdent(c.Name)
				ddl = append(ddl, fmt.Sprintf("UPDATE %s SET %s = to_char(to_date(%s, '%s'), 'YYYY-MM-DD') "+
					"WHERE %s LIKE '%s'", k.qualified(k.table.Name), column, column, f.reads, column, f.like))
			}
		}
		return finding{fmt.Sprintf("%s has %s, in which dates are written in several ways, so that their order is not "+
			"that of the days", k, strconv.Quote(c.Name)), strings.Join(ddl, "; ")}, true
	}
	return finding{}, false
}

// mixedForms tells of a text in a key of whose values some have accents as characters of their own, and others do not.
func mixedForms(k *key) (finding, bool) {
	for _, c := range textsOf(k) {
		if hasForm(k, c.ID) {
			continue
		}
		whole, split := false, false
		for _, v := range knownTexts(k, c.ID) {
			composed := normal.NFC.Is(v)
			split = split || !composed
			whole = whole || composed && !normal.NFD.Is(v)
		}
		if whole && split {
			column := expr.QuoteIdent(c.Name)
			return finding{fmt.Sprintf("%s has %s, in which the same characters are written in several ways, which sort in "+
				"several places", k, strconv.Quote(c.Name)), fmt.Sprintf("UPDATE %s SET %s = normalize(%s) WHERE %s IS NOT NORMALIZED",
				k.qualified(k.table.Name), column, column, column)}, true
		}
	}
	return finding{}, false
}

// hasForm says whether a dimension brings the texts of a column into a normal form.
func hasForm(k *key, column uint32) bool {
	return slices.ContainsFunc(k.curve(), func(d catalog.Dimension) bool { return d.Column == column && d.Form != "" })
}

// textsOf are the columns of a key that are texts, and not bytes.
func textsOf(k *key) (out []*catalog.Column) {
	for _, id := range k.layout.Columns() {
		if c := k.column(id); isText(c.Type) && !isBytes(c.Type) {
			out = append(out, c)
		}
	}
	return out
}

// knownTexts are the values of a column that are known: a sample, or what statistics have of it.
func knownTexts(k *key, id uint32) (out []string) {
	known := k.known.Stats.Columns[id]
	values := append([]types.Value{known.Min, known.Max}, known.Histogram...)
	for _, c := range known.Common {
		values = append(values, c.Value)
	}
	if sample := k.known.Samples[id]; len(sample) > 0 {
		values = sample
	}
	for _, v := range values {
		if v.Kind() == types.KindText || v.Kind() == types.KindBpchar {
			out = append(out, strings.TrimRight(v.Text(), " "))
		}
	}
	return out
}

// dateForm is the number of the form of a date, -1 of other texts. A time may follow.
func dateForm(text string) int {
	day := text
	if i := strings.IndexAny(text, "T "); i >= 0 {
		day = text[:i]
	}
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, day)
	for i, f := range dateForms {
		if digits == f.pattern {
			return i
		}
	}
	return -1
}
