/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* resch-domain.hpp - CPUs with a plugin; see resch.hpp */
#ifndef _RESCH_DOMAIN_HPP
#define _RESCH_DOMAIN_HPP

#include <resch-device.hpp>
#include <resch-parameters.hpp>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace resch
{

/** domain - CPUs with a plugin; one made here goes with its object, unless keep() was called */
class domain {
    public:
	/**
	 * make - a new domain
	 * @cpus:    "1", "2-3,5"
	 * @plugin:  "edf"; its module is loaded where it is missing
	 * @options: "order=rm,test=rta"
	 */
	static result<domain> make(const device &device, std::string_view cpus,
				   std::string_view plugin, std::string_view options = {})
	{
		struct resch_domain_set want{};
		int returned = resch_cpus_parse(std::string(cpus).c_str(), &want.cpus);

		if (returned < 0)
			return error(returned, std::string(cpus) + " is no list of CPUs");
		if (plugin.size() >= sizeof(want.plugin) || options.size() >= sizeof(want.options))
			return error(EINVAL, "the name or the options of the plugin are too long");
		detail::copy(want.plugin, sizeof(want.plugin), plugin);
		detail::copy(want.options, sizeof(want.options), options);
		returned = ::resch_domain_set(device.fd(), &want);
		if (returned)
			return detail::refusal(returned, want.verdict);
		return domain(device, want.domain, true);
	}

	/** of - the domain that a CPU is in; it stays. ENOENT: in none */
	static result<domain> of(const device &device, unsigned cpu)
	{
		struct resch_domain_stat stat{};
		int returned;

		while ((returned = resch_domain_next(device.fd(), &stat)) > 0) {
			if (resch_cpus_has(&stat.cpus, cpu))
				return domain(device, stat.domain, false);
		}
		return error(returned ? returned : ENOENT,
			     returned ? "" : "CPU " + std::to_string(cpu) + " is in no domain");
	}

	domain(const domain &) = delete;
	domain &operator=(const domain &) = delete;

	domain(domain &&other) noexcept
		: device_(std::move(other.device_)), id_(other.id_),
		  own_(std::exchange(other.own_, false))
	{
	}

	domain &operator=(domain &&other) noexcept
	{
		std::swap(device_, other.device_);
		std::swap(id_, other.id_);
		std::swap(own_, other.own_);
		return *this;
	}

	~domain()
	{
		if (own_)
			resch_domain_del(device_.fd(), id_);
	}

	std::uint32_t id() const noexcept
	{
		return id_;
	}

	/** keep - it outlives the object, and the program */
	void keep() noexcept
	{
		own_ = false;
	}

    private:
	domain(const device &device, std::uint32_t id, bool own)
		: device_(device), id_(id), own_(own)
	{
	}

	device device_;
	std::uint32_t id_;
	bool own_;
};

} /* namespace resch */

#endif /* _RESCH_DOMAIN_HPP */
