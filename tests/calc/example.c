#include "calc/calc.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct calc *calc = calc_new();
	struct calc_result result;
	char text[CALC_TEXT_SIZE];
	if (!calc)
		return 1;
	for (int i = 1; i < argc; i++) {
		calc_eval(calc, argv[i], strlen(argv[i]), &result);
		calc_text(&result, text);
		puts(text);
	}
	calc_free(calc);
	return 0;
}
