// SPDX-License-Identifier: GPL-2.0
#include "compare/chance.h"

#include <math.h>

/* Logarithm of @n over @k. */
static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

double chance_of_table(uint64_t failing_true, uint64_t failing, uint64_t passing_true,
		       uint64_t passing)
{
	double all = (double)(failing + passing), sum = 0;
	uint64_t true_calls = failing_true + passing_true;
	uint64_t most = true_calls < failing ? true_calls : failing;

	for (uint64_t i = failing_true; i <= most; i++)
		sum += exp(log_choose((double)true_calls, (double)i) +
			   log_choose(all - (double)true_calls, (double)(failing - i)) -
			   log_choose(all, (double)failing));
	return sum;
}

double chance_of_order(uint64_t failing, uint64_t passing)
{
	return 2 * exp(-log_choose((double)(failing + passing), (double)failing));
}
