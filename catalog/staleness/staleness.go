// Package staleness says how old the rows of a table may be that queries get from the memory of a process: its option
// "cache". What keeps the rows is store/rowcache. Read Of first.
package staleness

import (
	"time"

	"zproxy/catalog"
)

// Option is the option of a table.
const Option = "cache"

// Most is the longest time that it may be.
const Most = time.Hour

// Of is how old rows of a table may be; 0: queries get them from the store.
func Of(t *catalog.Table) time.Duration {
	d, _ := time.ParseDuration(t.Options[Option]) // 0 without the option
	return d
}

// Valid says whether a value of the option is one.
func Valid(value string) bool {
	d, err := time.ParseDuration(value)
	return err == nil && d >= 0 && d <= Most
}
