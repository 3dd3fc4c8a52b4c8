// Package datestyle is the values of the setting DateStyle. Package types/datetime writes and reads by them, and
// package session/settings has the words that stand for them. The zero value of each is PostgreSQL's default.
package datestyle

// Style is the setting DateStyle: how dates and timestamps are written, and in which order the fields of dates that say
// no more are read. The zero value is ISO, MDY.
type Style struct {
	Form  Form
	Order Order
}

// Form is how dates and timestamps are written.
type Form uint8

// The forms, in the order of PostgreSQL's manual.
const (
	ISO Form = iota
	SQL
	Postgres
	German
)

// String is the name that SHOW prints.
func (f Form) String() string { return [...]string{"ISO", "SQL", "Postgres", "German"}[f] }

// Order is the order of the fields of a date.
type Order uint8

// The orders.
const (
	MDY Order = iota
	DMY
	YMD
)

// String is the name that SHOW prints.
func (o Order) String() string { return [...]string{"MDY", "DMY", "YMD"}[o] }

// String is the value of DateStyle.
func (s Style) String() string { return s.Form.String() + ", " + s.Order.String() }
