// SPDX-License-Identifier: GPL-2.0
// userclass - a C++ program for tests of user functions: a class, an overload, a template
#include <cstdio>
#include <cstdlib>

namespace shop
{

class Till
{
      public:
	int add(int cents);
	int add(double euros);
	virtual ~Till() = default;

      private:
	int total = 0;
};

template <typename T> static inline T at_least(T value, T limit)
{
	if (value < limit)
		return limit;
	return value;
}

__attribute__((noinline)) int Till::add(int cents)
{
	total += at_least(cents, 0);
	return total;
}

__attribute__((noinline)) int Till::add(double euros)
{
	return add(static_cast<int>(euros * 100));
}

} // namespace shop

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? std::atoi(argv[1]) : 1, sum = 0;
	shop::Till till;

	for (int i = 0; i < rounds; i++)
		sum += till.add(i / 4.0 - 1);
	std::printf("%d\n", sum);
	return 0;
}
