// SPDX-License-Identifier: GPL-2.0
#include "compare/chance.h"

#include <math.h>

/* Logarithm of @n over @k. */
static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

double chance_of_branch(uint64_t calls, uint64_t exceptions)
{
	double sum = 0;

	for (uint64_t i = 0; i <= exceptions; i++)
		sum += exp(log_choose((double)calls, (double)i) - (double)calls * M_LN2);
	return 2 * sum;
}

double chance_of_order(uint64_t failing, uint64_t passing)
{
	return 2 * exp(-log_choose((double)(failing + passing), (double)failing));
}
