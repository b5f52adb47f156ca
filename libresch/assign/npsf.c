// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * npsf.c - NPS-F and C-NPS-F: tasks into bins, bins one after the other onto CPUs
 *
 * Bletsas and Andersson, RTSS 2009. Bins: First-Fit, tasks in the order given, each bin what one
 * CPU can carry. The sizes of the bins are laid end to end over the slots of all CPUs; a bin that a
 * slot's end cuts gets the end of the slot on that CPU and the beginning on the next one. As a bin
 * is never longer than a slot, its two reserves never overlap. With clusters no bin is cut at the
 * border of a cluster: bins go, longest first, to the first cluster that can take them.
 */
#include "assign.h"

/* Utilizations in 2^-40, rounded down, to see quickly what cannot fit. */
#define QUICK_BITS 40

struct bin {
	uint32_t *tasks;
	uint32_t nr;
	uint32_t group;
	uint32_t cluster;
	uint64_t quick;
	uint64_t size; /* uncut, wherever that takes most */
	bool choosy; /* too long for some CPUs */
};

struct npsf {
	struct assign *assign;
	struct bin *bins;
	uint32_t nr_bins;
	uint32_t *order; /* scratch */
	uint32_t cluster; /* CPUs in each */
	uint32_t nr_clusters;
	bool dry; /* only see whether it fits */
};

/* ---- bins ------------------------------------------------------------------------------------ */

static uint64_t quick_share(const struct assign *assign, uint32_t task)
{
	const struct resch_assign_task *it = &assign->request->tasks[task];

	return (uint64_t)(((assign_u128)resch_assign_cost(assign->request, it) << QUICK_BITS) /
			  it->period);
}

/* 1: it is in; 0: no room; -ENOMEM */
static int bin_try(struct assign *assign, struct bin *bin, uint32_t task)
{
	uint64_t share = quick_share(assign, task), size;
	uint32_t *tasks;

	if (bin->quick + share > 1ULL << QUICK_BITS)
		return 0;
	if (!(bin->nr & (bin->nr - 1))) {
		tasks = realloc(bin->tasks, (bin->nr ? 2 * (size_t)bin->nr : 1) * sizeof(*tasks));
		if (!tasks)
			return -ENOMEM;
		bin->tasks = tasks;
	}
	bin->tasks[bin->nr] = task;
	size = resch_assign_size(assign, bin->tasks, bin->nr + 1, ASSIGN_CPU_WORST,
				 ASSIGN_CPU_NONE);
	if (size > assign->slot && !bin->nr) {
		size = resch_assign_size(assign, bin->tasks, 1, ASSIGN_CPU_QUIET, ASSIGN_CPU_NONE);
		bin->choosy = size <= assign->slot;
	}
	if (size > assign->slot)
		return 0;
	bin->size = size;
	bin->quick += share;
	bin->nr++;
	return 1;
}

static int put_task(struct npsf *npsf, uint32_t task)
{
	struct assign *assign = npsf->assign;
	uint32_t i;
	int result;

	/* One after the last is empty. */
	for (i = 0; i <= npsf->nr_bins; i++) {
		result = bin_try(assign, &npsf->bins[i], task);
		if (result < 0)
			return result;
		if (result)
			break;
	}
	if (i > npsf->nr_bins)
		return resch_assign_refuse(assign, RESCH_ASSIGN_ALONE, task, 0,
					   resch_assign_cost(assign->request,
							     &assign->request->tasks[task]),
					   assign->slot);
	if (i == npsf->nr_bins)
		npsf->nr_bins++;
	resch_layout_put(assign->layout, task, i + 1);
	return 0;
}

/* Group numbers are bin numbers. */
static int make_bins(struct npsf *npsf)
{
	struct assign *assign = npsf->assign;
	uint32_t i;
	int error = 0;

	for (i = 0; i < assign->request->nr_tasks && !error; i++)
		error = put_task(npsf, i);
	for (i = 0; i < npsf->nr_bins && !error; i++) {
		npsf->bins[i].group = resch_layout_group(assign->layout, npsf->bins[i].size);
		error = npsf->bins[i].group ? 0 : -ENOMEM;
	}
	return error;
}

/* ---- bins onto CPUs -------------------------------------------------------------------------- */

/* struct fill - what has been given away: everything before @cpu, and of that @used */
struct fill {
	uint32_t cpu, end;
	uint64_t used;
};

static int reserve(const struct npsf *npsf, uint32_t cpu, uint32_t group, uint64_t begin,
		   uint64_t end)
{
	if (npsf->dry)
		return 0;
	return resch_layout_reserve(npsf->assign->layout, npsf->assign->cpus[cpu], group, begin,
				    end);
}

static uint64_t bin_size(const struct npsf *npsf, const struct bin *bin, uint32_t cpu, bool cut)
{
	const uint32_t *cpus = npsf->assign->cpus;

	return resch_assign_size(npsf->assign, bin->tasks, bin->nr, (int32_t)cpus[cpu],
				 cut ? (int32_t)cpus[cpu + 1] : ASSIGN_CPU_NONE);
}

/* Whole on this CPU, or cut, or, where a cut makes it too long, whole on the next one. */
static int place_bin(struct npsf *npsf, struct bin *bin, struct fill *fill)
{
	uint64_t slot = npsf->assign->slot, loss = resch_assign_loss(npsf->assign->request);
	uint64_t size = ASSIGN_NEVER, room;

	for (; fill->cpu < fill->end; fill->cpu++, fill->used = 0) {
		room = slot - fill->used;
		size = bin_size(npsf, bin, fill->cpu, false);
		if (size <= room) {
			npsf->assign->layout->groups[bin->group - 1].need = size;
			fill->used += size;
			return reserve(npsf, fill->cpu, bin->group, fill->used - size, fill->used);
		}
		if (fill->cpu + 1 == fill->end || room <= loss)
			continue;
		size = bin_size(npsf, bin, fill->cpu, true);
		if (size > slot)
			continue;
		/*
		 * what is left for the next CPU is of use, too: a piece that were lost cannot be
		 * cut off
		 */
		if (size < room + loss + 1)
			room = size - loss - 1;
		npsf->assign->layout->groups[bin->group - 1].need = size;
		fill->cpu++;
		fill->used = size - room;
		if (reserve(npsf, fill->cpu - 1, bin->group, slot - room, slot))
			return -ENOMEM;
		return reserve(npsf, fill->cpu, bin->group, 0, fill->used);
	}
	return -EBUSY;
}

static struct fill cluster_fill(const struct npsf *npsf, uint32_t cluster)
{
	struct fill fill = { .cpu = cluster * npsf->cluster };

	fill.end = fill.cpu + npsf->cluster;
	if (fill.end > npsf->assign->nr_cpus)
		fill.end = npsf->assign->nr_cpus;
	return fill;
}

static int place_or_refuse(struct npsf *npsf, struct bin *bin, struct fill *fill)
{
	const struct fill before = *fill;
	struct assign *assign = npsf->assign;
	int error = place_bin(npsf, bin, fill);

	if (error != -EBUSY)
		return error;
	return resch_assign_refuse(assign, RESCH_ASSIGN_BIN, bin->tasks[0], bin->group, bin->size,
				   (before.end - before.cpu) * assign->slot - before.used);
}

/*
 * Places all bins that are in @cluster, in their order; but the choosy ones first: quiet CPUs come
 * first, too.
 */
static int place_cluster(struct npsf *npsf, uint32_t cluster)
{
	struct fill fill = cluster_fill(npsf, cluster);
	int choosy, error = 0;
	uint32_t i;

	for (choosy = 1; choosy >= 0; choosy--) {
		for (i = 0; i < npsf->nr_bins && !error; i++) {
			struct bin *bin = &npsf->bins[i];

			if (bin->cluster == cluster && bin->choosy == choosy)
				error = place_or_refuse(npsf, bin, &fill);
		}
	}
	return error;
}

/* ---- clusters -------------------------------------------------------------------------------- */

static int find_cluster(struct npsf *npsf, struct bin *bin, uint64_t *room)
{
	uint64_t best = 0;
	uint32_t i;
	int error;

	for (i = 0; i < npsf->nr_clusters; i++) {
		best = room[i] > best ? room[i] : best;
		if (room[i] < bin->size)
			continue;
		bin->cluster = i;
		error = place_cluster(npsf, i);
		if (!error) {
			room[i] -= bin->size;
			return 0;
		}
		if (error != -EBUSY)
			return error;
	}
	bin->cluster = ASSIGN_NONE;
	return resch_assign_refuse(npsf->assign, RESCH_ASSIGN_BIN, bin->tasks[0], bin->group,
				   bin->size, best);
}

/* First-Fit Decreasing; equal ones in their order. */
static int fill_clusters(struct npsf *npsf, uint64_t *room)
{
	uint32_t i, j, bin;
	int error = 0;

	for (i = 0; i < npsf->nr_clusters; i++) {
		struct fill fill = cluster_fill(npsf, i);

		room[i] = (fill.end - fill.cpu) * npsf->assign->slot;
	}
	for (i = 0; i < npsf->nr_bins; i++) {
		npsf->bins[i].cluster = ASSIGN_NONE;
		for (j = i; j && npsf->bins[npsf->order[j - 1]].size < npsf->bins[i].size; j--)
			npsf->order[j] = npsf->order[j - 1];
		npsf->order[j] = i;
	}
	npsf->dry = true;
	for (i = 0; i < npsf->nr_bins && !error; i++) {
		bin = npsf->order[i];
		error = find_cluster(npsf, &npsf->bins[bin], room);
	}
	npsf->dry = false;
	return error;
}

static int place_all(struct npsf *npsf)
{
	uint64_t *room;
	uint32_t i;
	int error = 0;

	if (npsf->nr_clusters > 1) {
		room = calloc(npsf->nr_clusters, sizeof(*room));
		npsf->order = calloc(npsf->nr_bins, sizeof(*npsf->order));
		error = room && npsf->order ? fill_clusters(npsf, room) : -ENOMEM;
		free(room);
		free(npsf->order);
	}
	for (i = 0; i < npsf->nr_clusters && !error; i++)
		error = place_cluster(npsf, i);
	return error;
}

int resch_assign_npsf(struct assign *assign, uint32_t cluster)
{
	struct npsf npsf = { .assign = assign, .cluster = cluster };
	uint32_t i;
	int error;

	npsf.nr_clusters = (assign->nr_cpus + cluster - 1) / cluster;
	resch_layout_free(assign->layout);
	assign->layout = resch_layout_new(assign);
	npsf.bins = calloc(assign->request->nr_tasks + 1, sizeof(*npsf.bins));
	error = assign->layout && npsf.bins ? make_bins(&npsf) : -ENOMEM;
	if (!error)
		error = place_all(&npsf);
	for (i = 0; npsf.bins && i < assign->request->nr_tasks + 1; i++)
		free(npsf.bins[i].tasks);
	free(npsf.bins);
	if (error)
		return error;
	resch_layout_sort(assign->layout);
	return resch_layout_verify(assign, assign->layout);
}
