package part

import (
	"fmt"
	"strconv"
	"strings"
)

// Table is what parts need to know of the table that they are parts of keys of.
type Table interface {
	// Source is a column by its ID.
	Source(id uint32) Source
	// KeyBytes is how many bytes a value of a column is thought to take in a key.
	KeyBytes(id uint32) float64
}

// base is what a kind says where it has nothing else to say: that of a number that is computed from
// one column.
type base struct{}

// numberBytes is what a small number takes in a key.
const numberBytes = 2

func (base) columns(p *Part) []uint32                  { return []uint32{p.Column} }
func (base) leastBytes(*Part, Table) int               { return 1 } // for what it is
func (base) leastText(p *Part) int                     { return p.Width }
func (base) bytes(*Part, Table) float64                { return numberBytes }
func (base) partitions(*Part) int                      { return 0 }
func (base) follows(*Part) (uint32, bool)              { return 0, false }
func (base) keeps(*Part, Table) bool                   { return false }
func (base) varies(*Part, Table) (_, _ string, _ bool) { return "", "", false }

func (base) count(p *Part, t Table, n int) string {
	one := *p
	one.Desc, one.NullsSwapped = false, false
	return fmt.Sprintf("%d values of %s", n, one.Describe(t))
}

// decimals are what a number in a text could go on with.
const decimals = "0123456789"

// namesOf are the names of columns.
func namesOf(t Table, ids ...uint32) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = t.Source(id).Name
	}
	return strings.Join(names, ", ")
}

// hole writes what stands between the braces of a template, and its format.
func hole(what, format string) string {
	if format != "" {
		what += ":" + format
	}
	return "{" + what + "}"
}

// padding is the format of a number with so many digits.
func padding(width int) string {
	if width == 0 {
		return ""
	}
	return "0" + strconv.Itoa(width)
}

// templateName is a column's name as a template has it: in quotes if it would be read as
// another name, or as something else.
func templateName(t Table, id uint32) string {
	name := namesOf(t, id)
	plain := name != "" && !isWord(name) && (name[0] < '0' || name[0] > '9')
	for _, c := range name {
		plain = plain && (c == '_' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9')
	}
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// quoteLiteral writes a text as SQL does; one with control characters as E'\n'.
func quoteLiteral(text string) string {
	quoted := strings.ReplaceAll(text, "'", "''")
	if strings.ContainsAny(text, "\n\t\r\\") {
		return "E'" + strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\t", "\\t", "\r", "\\r").Replace(quoted) + "'"
	}
	return "'" + quoted + "'"
}

// quoted writes a template as SQL writes a text.
func quoted(p *Part, t Table) string {
	return "'" + strings.ReplaceAll(p.Template(t), "'", "''") + "'"
}
