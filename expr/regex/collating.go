package regex

import "strings"

// collating are the names of characters that [[.name.]] knows besides the characters themselves, by their codes in
// ASCII; several are names of one.
var collating = collatingNames(`NUL|SOH|STX|ETX|EOT|ENQ|ACK|BEL alert|BS backspace|HT tab|LF newline|VT vertical-tab|
FF form-feed|CR carriage-return|SO|SI|DLE|DC1|DC2|DC3|DC4|NAK|SYN|ETB|CAN|EM|SUB|ESC|IS4 FS|IS3 GS|IS2 RS|IS1 US|space|
exclamation-mark|quotation-mark|number-sign|dollar-sign|percent-sign|ampersand|apostrophe|left-parenthesis|
right-parenthesis|asterisk|plus-sign|comma|hyphen hyphen-minus|period full-stop|slash solidus|zero|one|two|three|four|
five|six|seven|eight|nine|colon|semicolon|less-than-sign|equals-sign|greater-than-sign|question-mark|commercial-at|
||||||||||||||||||||||||||left-square-bracket|backslash reverse-solidus|right-square-bracket|circumflex circumflex-accent|
underscore low-line|grave-accent|||||||||||||||||||||||||||left-brace left-curly-bracket|vertical-line|
right-brace right-curly-bracket|tilde|DEL`)

func collatingNames(list string) map[string]rune {
	out := map[string]rune{}
	for code, all := range strings.Split(list, "|") {
		for _, name := range strings.Fields(all) {
			out[name] = rune(code)
		}
	}
	return out
}
