# Shortens the output of go test -v: a line for each package that passed, everything but
# the passed tests of one that failed, the names of skipped tests, what does not compile,
# and a count at the end.
/^=== / { next }
/^ *--- PASS: / { passed++; next }
/^ *--- SKIP: / { skipped++; print; next }
/^ *--- FAIL: / { failed++ }
/^(ok  |\?   )/ { print; held = ""; next }
/^FAIL\t/ { printf "%s", held; print; held = ""; broken++; next }
/^(# |[^ :]+\.go:[0-9]+:)/ { print; next }
{ held = held $0 "\n" }
END {
	printf "%s", held
	printf "%d tests passed, %d failed, %d skipped; %d packages failed\n", passed, failed, skipped, broken
}
