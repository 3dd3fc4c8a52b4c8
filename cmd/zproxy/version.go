package main

import (
	"runtime/debug"
	"strings"
)

// asksVersion says whether an argument is one of the flags that programs print their version for.
func asksVersion(arg string) bool { return arg == "--version" || arg == "-version" || arg == "-V" }

// buildText is what a build knows of itself: the version, the commit with its time, and the compiler.
// A build outside of a clone of the repository, such as by go run, knows no commit.
func buildText(info *debug.BuildInfo, known bool) string {
	if !known {
		return "zproxy, of an unknown build"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := "an unknown commit"
	if revision := settings["vcs.revision"]; revision != "" {
		commit = "commit " + revision
		if at := settings["vcs.time"]; at != "" {
			commit += " of " + at
		}
		if settings["vcs.modified"] == "true" {
			commit += ", modified"
		}
	}
	return strings.Join([]string{"zproxy " + info.Main.Version, commit, "compiled by " + info.GoVersion}, ", ")
}
