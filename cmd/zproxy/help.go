package main

import (
	"fmt"
	"io"
)

const usage = `zproxy serves SQL over a key-value store to PostgreSQL clients.

  zproxy [serve] [settings]    serve a store
  zproxy demo [settings]       serve a temporary store filled with 135,000 real places
  zproxy check [settings]      compare the indexes of a store with their tables, or salvage a damaged store
  zproxy inspect TABLE [settings]
                               print the DDL by which zproxy can use a DynamoDB table of another program
  zproxy version               print the version and the commit, as --version and -V do
  zproxy help                  print this
`

const usageEnd = `
A setting may also be given in the environment (ZPROXY_MAX_CONNECTIONS=50) or in the
file of --config (max-connections = 50). A flag goes before the environment, and that
before the file.
`

// help prints the commands and their settings.
func help(w io.Writer) {
	fmt.Fprint(w, usage)
	for _, command := range []string{"serve", "demo", "check", "inspect"} {
		fmt.Fprintf(w, "\nSettings of %s:\n", command)
		for _, s := range settingTable {
			if !s.of(command) {
				continue
			}
			note := s.help
			if initial := s.initially(command); initial != "" && s.arg != "" {
				note += " (" + initial + ")"
			}
			if s.store != "" {
				note = "[" + s.store + "] " + note
			}
			fmt.Fprintf(w, "  %-24s %s\n", "--"+s.name+" "+s.arg, note)
		}
	}
	fmt.Fprint(w, usageEnd)
}
