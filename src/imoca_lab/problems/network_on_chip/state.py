"""What a mesh network is, what moves in it and what a run of it counts."""

from collections.abc import MutableSequence
from typing import NamedTuple

# Plain lists when interpreted, which are faster there, and integer arrays when compiled.
Ints = MutableSequence[int]

# Numba keeps compiled code until the router's file changes: touch that too after a change here.
LOCAL, EAST, WEST, SOUTH, NORTH = range(5)  # ports; rows grow southwards
N_PORTS = 5
OPPOSITE = (LOCAL, WEST, EAST, NORTH, SOUTH)
REQUEST, REPLY = range(2)
LATENCY, FINISHED, WRITES, TRAVERSALS, HOPS, WAKES, EJECTED, INJECTED = range(8)  # counters, in the order of Counts
N_PACKETS, N_REPLIES, N_RETURNED = range(8, 11)
N_COUNTERS = 11


class Mesh(NamedTuple):
    """What does not change during a run."""

    side: int  # nodes per row and per column
    n_channels: int  # virtual channels per class
    depth: int  # flits per channel
    pipeline: int  # extra cycles per router
    request_length: int  # flits
    reply_length: int  # flits; 0 for traffic without replies
    service: int  # cycles from the end of a request to its reply
    is_request_yx: int  # 0 or 1, as are the next two
    is_reply_yx: int
    is_oldest_first: int  # switch arbiter; otherwise round robin
    wake_after: int  # idle cycles after which a channel sleeps; 0 for never
    wake_cycles: int
    n_cycles: int
    warm_up: int  # requests created before are not measured


class Traffic(NamedTuple):
    """Requests in order of creation."""

    times: Ints
    sources: Ints
    destinations: Ints


class State(NamedTuple):
    """Everything that changes; flat, one entry per what the comment says.

    A channel is numbered ``(node * 5 + input port) * 2 * n_channels + class * n_channels + index``.
    """

    slot_packet: Ints  # channel * depth + slot, as the next two
    slot_index: Ints  # of the flit in its packet
    slot_ready: Ints  # cycle from which it may move on
    first: Ints  # channel: its first occupied slot
    n_held: Ints  # channel: flits in it
    port: Ints  # channel: output port of the packet at its front
    target: Ints  # channel: where that packet goes next, -1 while unknown
    credits: Ints  # channel: free slots as its upstream router knows them
    is_taken: Ints  # channel: an upstream packet holds it
    idle_since: Ints  # channel
    turn: Ints  # node * 5 + output port: input channel with the first right to it
    occupied: Ints  # node: one bit for each of its channels that holds a flit
    queue_first: Ints  # node: packet being injected, -1 for none
    queue_last: Ints  # node
    n_sent: Ints  # node: flits of that packet already injected
    channel: Ints  # node: local channel it goes into, -1 while not chosen
    next_packet: Ints  # packet: next in its queue, -1 for none
    source: Ints  # packet, as all below
    destination: Ints
    kind: Ints  # REQUEST or REPLY
    created: Ints
    origin: Ints  # when its request was created
    replies: Ints  # n-th reply: packet, in order of creation
    returned: Ints  # n-th credit of this cycle: channel
    wish: Ints  # channel of the router at hand: output port it could use now, -1 for none
    counters: Ints


class Counts(NamedTuple):
    """What a run measured."""

    latency_sum: int  # cycles, of the measured requests
    n_finished: int  # measured requests
    n_buffer_writes: int
    n_traversals: int  # of switches
    n_hops: int  # of links
    n_wakes: int
    n_ejected: int  # flits
    n_injected: int  # flits
    n_buffered: int  # flits left in the network


def new_state(mesh: Mesh, n_requests: int) -> State:
    """An empty network."""
    n_nodes = mesh.side**2
    n_channels = n_nodes * N_PORTS * 2 * mesh.n_channels
    sizes_and_values = {
        **dict.fromkeys(("slot_packet", "slot_index", "slot_ready"), (n_channels * mesh.depth, 0)),
        **dict.fromkeys(("first", "n_held", "port", "is_taken", "idle_since", "returned"), (n_channels, 0)),
        "wish": (N_PORTS * 2 * mesh.n_channels, -1),
        **{"target": (n_channels, -1), "credits": (n_channels, mesh.depth), "turn": (n_nodes * N_PORTS, 0)},
        **dict.fromkeys(("occupied", "n_sent"), (n_nodes, 0)),
        **dict.fromkeys(("queue_first", "queue_last", "channel"), (n_nodes, -1)),
        **dict.fromkeys(("source", "destination", "kind", "created", "origin"), (2 * n_requests, 0)),
        **{"next_packet": (2 * n_requests, -1), "replies": (n_requests, 0), "counters": (N_COUNTERS, 0)},
    }
    return State(**{name: [value] * size for name, (size, value) in sizes_and_values.items()})
