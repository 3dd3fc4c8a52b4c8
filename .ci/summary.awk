# Shortens the output of go test -v: a line for each package that passed, everything but
# the passed tests of one that failed, the names of skipped tests and of those that took
# over a minute, what does not compile, and a count at the end.
function drop() { split("", held); lines = 0 }
function tell(   i) { for (i = 0; i < lines; i++) print held[i]; drop() }
function seconds(   s) { s = $NF; gsub(/[()s]/, "", s); return s + 0 }
/^=== / { next }
/^--- PASS: / && seconds() >= 60 { print }
/^ *--- PASS: / { passed++; next }
/^ *--- SKIP: / { skipped++; print; next }
/^ *--- FAIL: / { failed++ }
/^(ok  |\?   )/ { print; drop(); next }
/^FAIL\t/ { tell(); print; broken++; next }
/^(# |[^ :]+\.go:[0-9]+:)/ { print; next }
{ held[lines++] = $0 }
END {
	tell()
	printf "%d tests passed, %d failed, %d skipped; %d packages failed\n", passed, failed, skipped, broken
}
