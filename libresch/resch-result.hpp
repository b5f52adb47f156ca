/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* resch-result.hpp - the value of what may fail, or why there is none; see resch.hpp */
#ifndef _RESCH_RESULT_HPP
#define _RESCH_RESULT_HPP

#include <resch.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#if defined(__cpp_exceptions)
#include <stdexcept>
#endif

namespace resch
{

/** error - why something did not work: a number of <errno.h>, and a sentence for people */
class error {
    public:
	/* @number: as the library returns it, or positive */
	explicit error(int number, std::string text = {})
		: number_(number < 0 ? -number : number), text_(std::move(text))
	{
	}

	/** number - EBUSY, EPERM, ... */
	int number() const noexcept
	{
		return number_;
	}

	std::error_code code() const noexcept
	{
		return { number_, std::generic_category() };
	}

	/** message - "the utilization on CPU 1 would be 110 %, and at most 95 % ..." */
	std::string message() const
	{
		return text_.empty() ? code().message() : text_;
	}

	/** refused - admission said no: message() says why, and what would pass */
	bool refused() const noexcept
	{
		return number_ == EBUSY;
	}

    private:
	int number_;
	std::string text_;
};

#if defined(__cpp_exceptions)
/** failure - what result::value() throws */
class failure : public std::runtime_error {
    public:
	explicit failure(resch::error what)
		: std::runtime_error(what.message()), error_(std::move(what))
	{
	}

	const resch::error &error() const noexcept
	{
		return error_;
	}

    private:
	resch::error error_;
};
#endif

namespace detail
{

[[noreturn]] inline void fail(const error &what)
{
#if defined(__cpp_exceptions)
	throw failure(what);
#else
	std::fprintf(stderr, "resch: %s\n", what.message().c_str());
	std::abort();
#endif
}

} /* namespace detail */

/** result - a value, or why there is none */
template <class T> class [[nodiscard]] result {
    public:
	result(T value) : state_(std::in_place_index<0>, std::move(value))
	{
	}

	result(resch::error what) : state_(std::in_place_index<1>, std::move(what))
	{
	}

	explicit operator bool() const noexcept
	{
		return state_.index() == 0;
	}

	bool has_value() const noexcept
	{
		return state_.index() == 0;
	}

	/* Only where there is one. */
	T &operator*() &
	{
		return *std::get_if<0>(&state_);
	}

	const T &operator*() const &
	{
		return *std::get_if<0>(&state_);
	}

	T &&operator*() &&
	{
		return std::move(*std::get_if<0>(&state_));
	}

	T *operator->()
	{
		return std::get_if<0>(&state_);
	}

	const T *operator->() const
	{
		return std::get_if<0>(&state_);
	}

	/** value - the value; throws failure where there is none */
	T &value() &
	{
		if (!*this)
			detail::fail(error());
		return **this;
	}

	T value() &&
	{
		if (!*this)
			detail::fail(error());
		return std::move(**this);
	}

	/** error - only where there is no value */
	const resch::error &error() const
	{
		return *std::get_if<1>(&state_);
	}

    private:
	std::variant<T, resch::error> state_;
};

/** result<void> - done, or why not */
template <> class [[nodiscard]] result<void> {
    public:
	result() = default;

	result(resch::error what) : error_(std::move(what))
	{
	}

	explicit operator bool() const noexcept
	{
		return !error_;
	}

	bool has_value() const noexcept
	{
		return !error_;
	}

	void value() const
	{
		if (error_)
			detail::fail(*error_);
	}

	const resch::error &error() const
	{
		return *error_;
	}

    private:
	std::optional<resch::error> error_;
};

namespace detail
{

/* What a call of the library returned, 0 or more being fine. */
inline result<void> done(int returned)
{
	if (returned < 0)
		return error(returned);
	return {};
}

/* Likewise, of one that admission may refuse. @word: what would pass is called so. */
inline error refusal(int returned, const resch_verdict &verdict, const char *word = "runtime")
{
	char text[RESCH_VERDICT_TEXT];

	if (returned != -EBUSY || verdict.bound == RESCH_BOUND_NONE)
		return error(returned);
	resch_verdict_text_for(&verdict, word, text, sizeof(text));
	return error(returned, text);
}

} /* namespace detail */

} /* namespace resch */

#endif /* _RESCH_RESULT_HPP */
