"""One cycle of a mesh network after the other: wormhole switching, virtual channels, credits, two classes.

The router of [Dally2004]. Each cycle: queue new packets, inject one flit per node, route and allocate channels,
allocate the switch, move flits; credits return at the end. Requests and replies have channels of their own and
one dimension order each, so nothing can deadlock. Only integers and flat sequences, for Numba compiles it.
"""

from imoca_lab.problems.network_on_chip.state import (
    EAST,
    EJECTED,
    FINISHED,
    HOPS,
    INJECTED,
    LATENCY,
    LOCAL,
    N_PACKETS,
    N_PORTS,
    N_REPLIES,
    N_RETURNED,
    NORTH,
    OPPOSITE,
    REPLY,
    REQUEST,
    SOUTH,
    TRAVERSALS,
    WAKES,
    WEST,
    WRITES,
    Mesh,
    State,
    Traffic,
)


def simulate(mesh: Mesh, traffic: Traffic, state: State) -> None:
    """All cycles of a run."""
    next_request, next_reply = 0, 0
    for now in range(mesh.n_cycles):
        next_request = queue_requests(traffic, state, next_request, now)
        next_reply = queue_replies(state, next_reply, now)
        for node in range(mesh.side**2):
            if state.queue_first[node] >= 0:
                inject(mesh, state, node, now)
        for node in range(mesh.side**2):
            if state.occupied[node] != 0:
                allocate_channels(mesh, state, node, now)
        for node in range(mesh.side**2):
            if state.occupied[node] != 0:
                allocate_switch(mesh, state, node, now)
        for index in range(state.counters[N_RETURNED]):
            state.credits[state.returned[index]] += 1
        state.counters[N_RETURNED] = 0


def queue_requests(traffic: Traffic, state: State, next_request: int, now: int) -> int:
    """Queue those created now at their sources."""
    while next_request < len(traffic.times) and traffic.times[next_request] <= now:
        source, destination = traffic.sources[next_request], traffic.destinations[next_request]
        packet = new_packet(state, source, destination, REQUEST, now, now)
        queue_packet(state, packet)
        next_request += 1
    return next_request


def queue_replies(state: State, next_reply: int, now: int) -> int:
    """Queue those whose service ended; every service takes equally long, so they are in order."""
    while next_reply < state.counters[N_REPLIES] and state.created[state.replies[next_reply]] <= now:
        queue_packet(state, state.replies[next_reply])
        next_reply += 1
    return next_reply


def new_packet(state: State, source: int, destination: int, kind: int, created: int, origin: int) -> int:
    packet = state.counters[N_PACKETS]
    state.counters[N_PACKETS] += 1
    state.source[packet], state.destination[packet], state.kind[packet] = source, destination, kind
    state.created[packet], state.origin[packet] = created, origin
    return packet


def queue_packet(state: State, packet: int) -> None:
    node = state.source[packet]
    if state.queue_first[node] < 0:
        state.queue_first[node] = packet
    else:
        state.next_packet[state.queue_last[node]] = packet
    state.queue_last[node] = packet


def inject(mesh: Mesh, state: State, node: int, now: int) -> None:
    """Write one flit of the first waiting packet into a local channel of its class, which it needs for itself."""
    packet = state.queue_first[node]
    kind = state.kind[packet]
    if state.channel[node] < 0:
        local = (node * N_PORTS + LOCAL) * 2 * mesh.n_channels
        best = free_channel(mesh, state, local + kind * mesh.n_channels)
        if state.credits[best] < mesh.depth:
            return
        state.channel[node] = best
    channel = state.channel[node]
    if state.credits[channel] == 0:
        return
    write_flit(mesh, state, node, channel, packet, state.n_sent[node], now + mesh.pipeline)
    state.counters[INJECTED] += 1
    state.n_sent[node] += 1
    if state.n_sent[node] == packet_length(mesh, kind):
        state.queue_first[node] = state.next_packet[packet]
        state.n_sent[node], state.channel[node] = 0, -1


def wrapped(index: int, size: int) -> int:
    """``index % size`` for an index below twice the size; a division would dominate the run."""
    return index - size if index >= size else index


def packet_length(mesh: Mesh, kind: int) -> int:
    return mesh.request_length if kind == REQUEST else mesh.reply_length


def wake_up(mesh: Mesh, state: State, channel: int, now: int) -> int:
    """Cycles until a channel that is about to be written is awake; local ones never sleep."""
    if mesh.wake_after == 0 or state.n_held[channel] > 0 or now - state.idle_since[channel] < mesh.wake_after:
        return 0
    state.counters[WAKES] += 1
    return mesh.wake_cycles


def write_flit(mesh: Mesh, state: State, node: int, channel: int, packet: int, index: int, ready: int) -> None:
    """Append a flit to a channel."""
    slot = channel * mesh.depth + wrapped(state.first[channel] + state.n_held[channel], mesh.depth)
    state.slot_packet[slot], state.slot_index[slot], state.slot_ready[slot] = packet, index, ready
    state.n_held[channel] += 1
    state.credits[channel] -= 1
    state.occupied[node] |= 1 << (channel - node * N_PORTS * 2 * mesh.n_channels)
    state.counters[WRITES] += 1


def output_port(mesh: Mesh, state: State, node: int, packet: int) -> int:
    """Along one dimension to its end, then along the other."""
    destination = state.destination[packet]
    right = destination % mesh.side - node % mesh.side
    down = destination // mesh.side - node // mesh.side
    is_yx = mesh.is_request_yx if state.kind[packet] == REQUEST else mesh.is_reply_yx
    if right != 0 and (is_yx == 0 or down == 0):
        return EAST if right > 0 else WEST
    if down != 0:
        return SOUTH if down > 0 else NORTH
    return LOCAL


def node_behind(mesh: Mesh, node: int, port: int) -> int:
    """The router to which an output port leads."""
    if port == EAST:
        return node + 1
    if port == WEST:
        return node - 1
    return node + mesh.side if port == SOUTH else node - mesh.side


def allocate_channels(mesh: Mesh, state: State, node: int, now: int) -> None:
    """Give every packet that has reached the front of its channel a free one in the next router.

    Ejection needs none: the target is then the channel itself. Who chooses first changes every cycle.
    """
    n_inputs = N_PORTS * 2 * mesh.n_channels
    index = now % n_inputs
    for _ in range(n_inputs):
        index = wrapped(index + 1, n_inputs)
        channel = node * n_inputs + index
        slot = channel * mesh.depth + state.first[channel]
        is_empty = (state.occupied[node] >> index) & 1 == 0
        if is_empty or state.target[channel] >= 0 or state.slot_ready[slot] > now:
            continue
        packet = state.slot_packet[slot]
        port = output_port(mesh, state, node, packet)
        state.port[channel] = port
        if port == LOCAL:
            state.target[channel] = channel
            continue
        entrance = node_behind(mesh, node, port) * N_PORTS + OPPOSITE[port]
        best = free_channel(mesh, state, (2 * entrance + state.kind[packet]) * mesh.n_channels)
        if best >= 0:
            state.target[channel] = best
            state.is_taken[best] = 1


def free_channel(mesh: Mesh, state: State, start: int) -> int:
    """Of the channels of one class the free one with the most credits, or -1."""
    best = -1
    for channel in range(start, start + mesh.n_channels):
        if state.is_taken[channel] == 0 and (best < 0 or state.credits[channel] > state.credits[best]):
            best = channel
    return best


def allocate_switch(mesh: Mesh, state: State, node: int, now: int) -> None:
    """One flit per output port and per input port; the output that chooses first changes every cycle."""
    wished_ports = list_wishes(mesh, state, node, now)
    per_port = 2 * mesh.n_channels
    port = now % N_PORTS
    for _ in range(N_PORTS):
        port = wrapped(port + 1, N_PORTS)
        if (wished_ports >> port) & 1 == 0:
            continue
        winner = choose_input(mesh, state, node, port)
        if winner < 0:
            continue
        state.turn[node * N_PORTS + port] = wrapped(winner + 1, N_PORTS * per_port)
        for index in range(winner // per_port * per_port, (winner // per_port + 1) * per_port):
            state.wish[index] = -1  # its input port is used
        move_flit(mesh, state, node, node * N_PORTS * per_port + winner, port, now)


def list_wishes(mesh: Mesh, state: State, node: int, now: int) -> int:
    """Which output each channel could use: its front flit is ready and has room in the channel it was given.

    Answers one bit per port that is wished for.
    """
    n_inputs = N_PORTS * 2 * mesh.n_channels
    wished_ports = 0
    for index in range(n_inputs):
        state.wish[index] = -1
        if (state.occupied[node] >> index) & 1 == 0:
            continue
        channel = node * n_inputs + index
        target, port = state.target[channel], state.port[channel]
        if target < 0 or state.slot_ready[channel * mesh.depth + state.first[channel]] > now:
            continue
        if port == LOCAL or state.credits[target] > 0:
            state.wish[index] = port
            wished_ports |= 1 << port
    return wished_ports


def choose_input(mesh: Mesh, state: State, node: int, port: int) -> int:
    """The channel of this router, counted from 0, that may use the port: the next in turn, or the oldest packet."""
    n_inputs = N_PORTS * 2 * mesh.n_channels
    winner, oldest = -1, 0
    index = state.turn[node * N_PORTS + port]
    for _ in range(n_inputs):
        if state.wish[index] == port:
            channel = node * n_inputs + index
            created = state.created[state.slot_packet[channel * mesh.depth + state.first[channel]]]
            if winner < 0 or created < oldest:
                winner, oldest = index, created
            if mesh.is_oldest_first == 0:
                break
        index = wrapped(index + 1, n_inputs)
    return winner


def move_flit(mesh: Mesh, state: State, node: int, channel: int, port: int, now: int) -> None:
    """Take the front flit out of its channel and put it into the next one, or eject it."""
    slot = channel * mesh.depth + state.first[channel]
    packet, index, target = state.slot_packet[slot], state.slot_index[slot], state.target[channel]
    is_tail = index == packet_length(mesh, state.kind[packet]) - 1
    state.first[channel] = wrapped(state.first[channel] + 1, mesh.depth)
    state.n_held[channel] -= 1
    if state.n_held[channel] == 0:
        state.occupied[node] -= 1 << (channel - node * N_PORTS * 2 * mesh.n_channels)
    state.idle_since[channel] = now
    state.returned[state.counters[N_RETURNED]] = channel
    state.counters[N_RETURNED] += 1
    state.counters[TRAVERSALS] += 1
    if is_tail:
        state.target[channel] = -1
    if port == LOCAL:
        state.counters[EJECTED] += 1
        if is_tail:
            finish_packet(mesh, state, packet, now + 1)
        return
    state.counters[HOPS] += 1
    ready = now + 1 + mesh.pipeline + wake_up(mesh, state, target, now)
    write_flit(mesh, state, node_behind(mesh, node, port), target, packet, index, ready)
    if is_tail:
        state.is_taken[target] = 0


def finish_packet(mesh: Mesh, state: State, packet: int, now: int) -> None:
    """A request is answered; with the reply, or without replies with the request, the round trip ends."""
    origin = state.origin[packet]
    if state.kind[packet] == REQUEST and mesh.reply_length > 0:
        source, destination = state.destination[packet], state.source[packet]
        reply = new_packet(state, source, destination, REPLY, now + mesh.service, origin)
        state.replies[state.counters[N_REPLIES]] = reply
        state.counters[N_REPLIES] += 1
    elif origin >= mesh.warm_up:
        state.counters[LATENCY] += now - origin
        state.counters[FINISHED] += 1


SIMULATION = (  # what `simulate` calls, every function before those that call it
    wrapped,
    new_packet,
    queue_packet,
    queue_requests,
    queue_replies,
    packet_length,
    free_channel,
    wake_up,
    write_flit,
    inject,
    output_port,
    node_behind,
    allocate_channels,
    list_wishes,
    choose_input,
    finish_packet,
    move_flit,
    allocate_switch,
)
