// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * draw.cpp - shapes to KernelShark's objects, which it draws and asks where a double click was
 */
#include "draw.hpp"

#include "menu.hpp"

#include <cmath>
#include <limits>
#include <map>

namespace shark
{

namespace
{

using KsPlot::Color;
using KsPlot::Point;

const Color BLUE(31, 95, 160), RED(214, 0, 0), GREEN(0, 120, 40), ORANGE(230, 120, 0),
	GREY(190, 190, 190);
/* Of groups and servers, by number; apart for those who don't tell red from green, too. */
const Color COLOURS[] = { { 86, 180, 233 },  { 230, 159, 0 },  { 0, 158, 115 },
			  { 204, 121, 167 }, { 240, 228, 66 }, { 0, 114, 178 } };
constexpr float THIN = 1.5, THICK = 2.5;
/* Pixels: arrow heads, crosses, how near a double click has to be to a narrow box. */
constexpr int HEAD = 5, CROSS = 4, NEAR = 3;
/*
 * Of a lane's height: boxes of jobs, arrows, bands of reserves. KernelShark's own bars end at 0.3,
 * its ticks at 0.6.
 */
constexpr double BOX = 0.75, ARROW = 0.95, SHORT_ARROW = 0.5, BAND_LOW = 0.8, BAND_HIGH = 1.0;
constexpr int LETTERS = 60; /* the least width of a band that has its number in it */

Color colour_of(int64_t number)
{
	return number < 0 ? GREY : COLOURS[number % static_cast<int64_t>(std::size(COLOURS))];
}

/* The letters of this plugin: KernelShark gives plugins none of its own. */
ksplot_font *font()
{
	static ksplot_font loaded;

	if (!ksplot_font_is_loaded(&loaded))
		ksplot_init_font(&loaded, 13, TT_FONT_FILE);
	return &loaded;
}

/* Where a lane is. */
struct place {
	const KsPlot::Graph *graph;

	int x(double bin) const
	{
		return graph->bin(0)._base.x() + static_cast<int>(std::lround(bin));
	}
	int y(double height) const
	{
		return graph->base() - static_cast<int>(std::lround(height * graph->height()));
	}
	Point at(double bin, double height) const
	{
		return Point(x(bin), y(height));
	}
};

/* Several lines in one object. */
class lines : public KsPlot::PlotObject
{
      public:
	lines(const Color &colour, float size)
	{
		_color = colour;
		_size = size;
	}
	void add(const Point &a, const Point &b)
	{
		parts.push_back({ a, b });
	}

      private:
	std::vector<std::pair<Point, Point>> parts;

	void _draw(const Color &colour, float size) const override
	{
		for (const auto &part : parts)
			KsPlot::drawLine(part.first, part.second, colour, size);
	}
};

/* What a double click on it opens. The schedule may be gone by then: the words are made now. */
class job_box : public KsPlot::Rectangle
{
      public:
	job_box(const shape &shape)
	    : title(title_of(*shape.task, *shape.job)), numbers(numbers_of(*shape.task, *shape.job))
	{
	}

	/* Less than 0, so that it comes before what other plugins have there. */
	double distance(int x, int y) const override
	{
		if (x < pointX(0) - NEAR || x > pointX(2) + NEAR || y < pointY(0) || y > pointY(1))
			return std::numeric_limits<double>::max();
		return -1;
	}

      private:
	std::string title, numbers;

	void _doubleClick() const override
	{
		show_numbers(title, numbers);
	}
};

template <class Box>
Box *box(Box *made, const place &place, const shape &shape, double low, double high)
{
	made->setPoint(0, place.at(shape.left, high));
	made->setPoint(1, place.at(shape.left, low));
	made->setPoint(2, place.at(shape.right, low));
	made->setPoint(3, place.at(shape.right, high));
	return made;
}

KsPlot::PlotObject *outline(const place &place, const shape &shape)
{
	auto *made = box(new job_box(shape), place, shape, 0, BOX);

	made->setFill(false);
	made->_color = shape.figure == figure::late ? RED : BLUE;
	made->_size = shape.figure == figure::late ? THICK : THIN;
	return made;
}

/* Up: a release. Down, with an open head: a deadline. */
KsPlot::PlotObject *arrow(const place &place, const shape &shape)
{
	const bool up = shape.figure == figure::release;
	auto *made = new lines(up ? GREEN : shape.colour ? RED : ORANGE, THIN);
	const Point tip = place.at(shape.left, up ? ARROW : 0),
		    end = place.at(shape.left, up ? 0 : SHORT_ARROW);
	const int back = tip.y() + (up ? HEAD : -HEAD);

	made->add(end, tip);
	made->add(tip, Point(tip.x() - HEAD, back));
	made->add(tip, Point(tip.x() + HEAD, back));
	if (up)
		made->add(Point(tip.x() - HEAD, back), Point(tip.x() + HEAD, back));
	return made;
}

KsPlot::PlotObject *cross(const place &place, const shape &shape)
{
	const bool miss = shape.figure == figure::miss;
	auto *made = new lines(miss ? RED : ORANGE, THICK);
	const Point middle = place.at(shape.left, miss ? BOX / 2 : BOX);

	made->add(Point(middle.x() - CROSS, middle.y() - CROSS),
		  Point(middle.x() + CROSS, middle.y() + CROSS));
	made->add(Point(middle.x() - CROSS, middle.y() + CROSS),
		  Point(middle.x() + CROSS, middle.y() - CROSS));
	return made;
}

KsPlot::PlotObject *line(const place &place, const shape &shape)
{
	auto *made = new lines(colour_of(shape.colour), THICK);

	made->add(place.at(shape.left, shape.from * ARROW),
		  place.at(shape.right, shape.to * ARROW));
	return made;
}

KsPlot::PlotObject *words(const Point &where, const Color &colour, const std::string &text)
{
	return new KsPlot::TextBox(font(), text, colour, where);
}

/* KernelShark draws the list from its beginning, so that what is added last is below. */
void add(KsPlot::PlotObjList *list, const place &place, const shape &shape)
{
	const Color ink = shape.figure == figure::eject ? RED : BLUE;

	switch (shape.figure) {
	case figure::job:
	case figure::late:
		list->push_front(outline(place, shape));
		return;
	case figure::release:
	case figure::deadline:
		list->push_front(arrow(place, shape));
		return;
	case figure::miss:
	case figure::overrun:
		list->push_front(cross(place, shape));
		return;
	case figure::budget:
		list->push_front(line(place, shape));
		return;
	case figure::reserve: {
		if (!shape.words.empty() && shape.right - shape.left > LETTERS)
			list->push_front(words(place.at((shape.left + shape.right) / 2, BAND_HIGH),
					       GREY, shape.words));
		auto *band = box(new KsPlot::Rectangle, place, shape, BAND_LOW, BAND_HIGH);
		band->setFill(true);
		band->_color = colour_of(shape.colour);
		list->push_front(band);
		return;
	}
	case figure::swap:
	case figure::eject: {
		list->push_front(words(place.at(shape.left, 1), ink, shape.words));
		auto *made = new lines(ink, THICK);
		made->add(place.at(shape.left, 0), place.at(shape.left, 1.2));
		list->push_front(made);
		return;
	}
	}
}

/*
 * The lanes of threads that have been drawn in this picture, from top to bottom: handlers see one
 * lane at a time, and what stages of chains hand over goes from one to another. A lane that isn't
 * below the last one begins a new picture.
 */
class picture
{
      public:
	void begin(int base)
	{
		if (base <= lowest)
			lanes.clear();
		lowest = base;
	}

	void arrows(KsPlot::PlotObjList *list, const schedule &schedule, const window &window,
		    const place &place, int pid)
	{
		lanes[pid] = { place.graph->base(), place.graph->height() };
		for (const auto &one : handovers_in(schedule, window)) {
			const auto from = lanes.find(one.from_pid), to = lanes.find(one.to_pid);
			/* drawn with the lower one of its lanes */
			if (from == lanes.end() || to == lanes.end() ||
			    (one.from_pid != pid && one.to_pid != pid))
				continue;
			list->push_front(across(place, window, one, from->second, to->second));
		}
	}

      private:
	struct lane {
		int base, height;
	};
	std::map<int64_t, lane> lanes;
	int lowest = 0;

	static KsPlot::PlotObject *across(const place &place, const window &window,
					  const handover &one, const lane &from, const lane &to)
	{
		auto *made = new lines(colour_of(one.instance), THICK);
		const Point begin(place.x(window.at(one.complete)), from.base - from.height / 3);
		const Point tip(place.x(window.at(one.release)), to.base - to.height / 3);
		const double angle = std::atan2(tip.y() - begin.y(), tip.x() - begin.x());

		made->add(begin, tip);
		for (const double side : { 0.5, -0.5 })
			made->add(tip, Point(tip.x() - static_cast<int>(2 * HEAD *
									std::cos(angle + side)),
					     tip.y() - static_cast<int>(2 * HEAD *
									std::sin(angle + side))));
		return made;
	}
};

picture shown;

} // namespace

void draw(KsCppArgV *argv, const schedule &schedule, int lane, int action, unsigned options)
{
	const kshark_trace_histo *histo = argv->_histo;
	const place place = { argv->_graph };
	const window window = { histo->min, histo->max, histo->n_bins };

	if (!argv->_graph->size() || !(action & (KSHARK_TASK_DRAW | KSHARK_CPU_DRAW)))
		return;
	shown.begin(argv->_graph->base());
	const auto shapes = action & KSHARK_TASK_DRAW ? task_lane(schedule, lane, window, options) :
							cpu_lane(schedule, lane, window, options);
	if (action & KSHARK_TASK_DRAW && options & CHAINS)
		shown.arrows(argv->_shapes, schedule, window, place, lane);
	for (auto shape = shapes.rbegin(); shape != shapes.rend(); ++shape)
		add(argv->_shapes, place, *shape);
}

} // namespace shark
