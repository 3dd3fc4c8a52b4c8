package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestBuildText(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "abc123"}
	at := debug.BuildSetting{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}
	for _, c := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, "zproxy v1.2.3, an unknown commit, compiled by go1.26"},
		{[]debug.BuildSetting{revision}, "zproxy v1.2.3, commit abc123, compiled by go1.26"},
		{[]debug.BuildSetting{revision, at, {Key: "vcs.modified", Value: "false"}},
			"zproxy v1.2.3, commit abc123 of 2026-01-02T03:04:05Z, compiled by go1.26"},
		{[]debug.BuildSetting{revision, at, {Key: "vcs.modified", Value: "true"}},
			"zproxy v1.2.3, commit abc123 of 2026-01-02T03:04:05Z, modified, compiled by go1.26"},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.3"}, Settings: c.settings}
		if got := buildText(info, true); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := buildText(nil, false); got != "zproxy, of an unknown build" {
		t.Error(got)
	}
}

// TestVersionIsOne asks for the version in every way there is.
func TestVersionIsOne(t *testing.T) {
	want := buildText(debug.ReadBuildInfo())
	for _, arg := range []string{"version", "--version", "-version", "-V"} {
		var out, failed strings.Builder
		p := &program{out: &out, err: &failed, env: func(string) (string, bool) { return "", false }}
		if code := p.run(t.Context(), []string{arg}); code != 0 || out.String() != want+"\n" || failed.String() != "" {
			t.Errorf("%s: exit code %d, %q and %q", arg, code, out.String(), failed.String())
		}
	}
}
