// One printed trap square with a detented dial: all its parts, for OpenSCAD 2021.01 or newer.
// Change a number, press F6, export the part. Trapdial writes the same parts without OpenSCAD and checks them;
// your changes here are not checked. Lengths in mm. The table is z = 0, the start mark is at +y.

part = "assembly"; // "comb", "gauge", "top", "dial", "spring", "carrier", "base", "clamp", "hood": in printing position
apart = 1;         // of the assembly: 0 assembled, 1 exploded

// ---- the numbers

clicks = 12; // 6 to 24

outline = 50.8; // 2 inches, as the tiles
wall = 1.6;
deck = 2; // thickness of the top plate's top
mark_depth = 0.6;
opening_diameter = 17; // for the coin
window_from = 9.8; // radius
window_to = 17.8; // radius

dial_diameter = 38;
disc = 2; // thickness
cam = 4; // thickness
shaft_diameter = 10;
coin_slot_width = 2;
coin_slot_length = 12;
coin_slot_depth = 2;
lobe_height = 2; // at most
flank_deg = 35;
cam_least_radius = 8.5;
cam_largest_radius = 13.8;
tip_radius = 0.3;

magnet_diameter = 6;
magnet_height = 2.5;
pocket_diameter = 6.1;
pocket_depth = 2.6;
air_gap = 1; // from the magnet's face to the chip's top

nose_radius = 0.8;
seat_gap = 0.2; // between nose and flanks at rest
spring = 1.4; // thickness of the flexure
spring_height = 3.6;
spring_span = 31.6; // from bead to bead
spring_at = 16.8; // from the dial's middle
bead_radius = 1.4;

bead_fit = 0.1; // around the beads in their sockets

running_gap = 0.22; // around the shaft
lift_gap = 0.3; // between carrier and cam
face_gap = 0.5; // between disc and top plate: the paper lies in it

board = 23; // measure yours
board_thickness = 1.6;
board_holes = 18; // from hole to hole
board_gap = 0.1;
chip_height = 1.6;
under_board = 4; // for solder and wires
carrier = 3; // thickness: the bushing's length
floor = 1.6;

screw_at = 19.8; // from the middle, in x and in y
screw_pilot = 2.1; // M2.5
screw_hole = 2.9;
screw_head = 5;
post_diameter = 7.6;

cable_diameter = 4;

screen_width = 27.3;
screen_height = 27.8;
screen_holes_x = 23.5;
screen_holes_y = 23.8;
screen_view_x = 23;
screen_view_y = 16;
lamp_diameter = 5.1;
hood_depth = 18;

// ---- derived numbers

$fn = 48; // of offsets
e = 0.01;
far = 100;

board_bottom = floor + under_board;
board_top = board_bottom + board_thickness;
shaft_end = board_top + chip_height + air_gap - (pocket_depth - magnet_height);
carrier_bottom = shaft_end + 0.4;
carrier_top = carrier_bottom + carrier;
cam_bottom = carrier_top + lift_gap;
disc_bottom = cam_bottom + cam;
dial_top = disc_bottom + disc;
deck_bottom = dial_top + face_gap;
height = deck_bottom + deck;
spring_bottom = carrier_top + running_gap;

inside = outline / 2 - wall;
pitch = 360 / clicks;
cam_radius = min(max(clicks * lobe_height / (PI * tan(flank_deg)), cam_least_radius), cam_largest_radius);
lobe = min(lobe_height, PI * cam_radius / clicks * tan(flank_deg));
valley_radius = cam_radius - lobe / 2;
valley_flank = atan(lobe / (PI / clicks) / valley_radius);
nose_at = valley_radius + (nose_radius + seat_gap) / cos(valley_flank);
window_half = min(0.45 * pitch, 16);
reach = inside - running_gap;
frame = 1.4;
clamp_screws = [[-6.5, -18.5], [6.5, -18.5]];

// ---- flat shapes

function at(r, deg) = [r * cos(deg), r * sin(deg)];

function sides(d) = 4 * ceil(min(max(PI * d / 0.4, 24), 96) / 4);

module round_d(d) circle(d = d, $fn = sides(d));
module around(side) square(side, center = true);
module corners(d) for (x = [-1, 1], y = [-1, 1]) translate([x, y] * screw_at) round_d(d);
module slab(low, high) translate([0, 0, low]) linear_extrude(high - low) children();

module cam_rim() offset(r = tip_radius) offset(r = -tip_radius)
    polygon([for (s = [0 : 16 * clicks - 1])
        at(valley_radius + lobe * (1 - abs((s % 16) / 8 - 1)), 90 + pitch * s / 16)]);

module window() polygon(concat(
    [for (s = [0 : 16]) at(window_to, 90 + window_half * (s / 8 - 1))],
    [for (s = [16 : -1 : 0]) at(window_from, 90 + window_half * (s / 8 - 1))]));

module marks() {
    tip = window_to + 0.9;
    middle = (window_from + window_to) / 2;
    polygon([[0, tip], [1.6, tip + 2.8], [-1.6, tip + 2.8]]);
    polygon(concat(
        [for (s = [0 : 16]) at(middle + 0.6, 225 + 90 * s / 16)],
        [at(middle + 1.8, 315), at(middle, 327), at(middle - 1.8, 315)],
        [for (s = [16 : -1 : 0]) at(middle - 0.6, 225 + 90 * s / 16)]));
}

module corner_posts() for (x = [-1, 1], y = [-1, 1]) hull() {
    translate([x, y] * screw_at) round_d(post_diameter);
    translate([x, y] * (inside + wall / 2 - 1)) around(2);
}

module socket_blocks() for (side = [0, 1]) mirror([side, 0])
    translate([spring_span / 2 - 1.6, spring_at - bead_radius - bead_fit - 1.6])
        square([bead_radius + bead_fit + 3.2, inside + wall / 2 - spring_at + bead_radius + bead_fit + 1.6]);

module sockets() translate([0, spring_at])
    square([spring_span + 2 * (bead_radius + bead_fit), 2 * (bead_radius + bead_fit)], center = true);

module cable_way() translate([-cable_diameter / 2 - 0.2, -outline]) square([cable_diameter + 0.4, outline - inside + 3]);

module spring_outline() {
    translate([0, spring_at]) square([spring_span, spring], center = true);
    for (side = [-1, 1]) translate([side * spring_span / 2, spring_at]) round_d(2 * bead_radius);
    hull() {
        translate([0, nose_at]) round_d(2 * nose_radius);
        translate([-2.2, spring_at - spring / 2]) square([4.4, spring / 2]);
    }
}

// ---- the parts, in their places in the square

module top_plate() difference() {
    union() {
        slab(deck_bottom, height) around(outline);
        slab(floor + running_gap, deck_bottom + e) difference() { around(outline); around(2 * inside); }
        slab(carrier_top, deck_bottom + e) { corner_posts(); socket_blocks(); }
    }
    slab(deck_bottom - e, height + e) { round_d(opening_diameter); window(); }
    slab(carrier_top - e, deck_bottom) corners(screw_pilot);
    slab(carrier_top - e, spring_bottom + spring_height + 0.3) sockets();
    slab(-e, floor + cable_diameter + 0.4) cable_way();
    slab(height - mark_depth, height + e) marks();
}

module dial() difference() {
    union() {
        slab(disc_bottom, dial_top) difference() {
            round_d(dial_diameter);
            rim = dial_diameter / 2;
            polygon([[0, rim - 1.2], [1.2, rim + 0.4], [-1.2, rim + 0.4]]);
        }
        slab(cam_bottom, disc_bottom + e) cam_rim();
        slab(shaft_end, cam_bottom + e) round_d(shaft_diameter);
    }
    slab(shaft_end - e, shaft_end + pocket_depth) round_d(pocket_diameter);
    slab(shaft_end - e, shaft_end + 0.8) translate([-0.5, 0]) square([1, shaft_diameter]);
    slab(dial_top - coin_slot_depth, dial_top + e) square([coin_slot_width, coin_slot_length], center = true);
}

module flexure() slab(spring_bottom, spring_bottom + spring_height) spring_outline();

module sensor_carrier() {
    inner = board / 2 + board_gap;
    slab(carrier_bottom, carrier_top) difference() {
        around(2 * reach);
        round_d(shaft_diameter + 2 * running_gap);
        corners(screw_hole);
    }
    slab(board_top, carrier_bottom + e) for (x = [0, 1], y = [0, 1]) mirror([x, 0]) mirror([0, y])
        translate([inner - 4, inner - 4]) square(4 + frame / 2);
    slab(board_bottom, carrier_bottom + e) difference() {
        around(2 * (inner + frame));
        around(2 * inner);
        translate([-7, -outline]) square([14, outline]);
    }
}

module base() difference() {
    union() {
        slab(0, floor) around(outline);
        slab(floor - e, floor + 2) difference() { around(2 * reach); around(2 * (reach - frame)); cable_way(); }
        slab(0, carrier_bottom) corners(post_diameter);
        slab(floor - e, board_bottom - 0.1) for (x = [-1, 1], y = [-1, 1])
            translate([x, y] * board_holes / 2) round_d(4);
        slab(floor - e, floor + cable_diameter - 1) for (p = clamp_screws) translate(p) round_d(5.6);
    }
    slab(floor, far) for (p = clamp_screws) translate(p) round_d(screw_pilot);
    sunk = (screw_head - screw_hole) / 2;
    for (x = [-1, 1], y = [-1, 1]) translate([x * screw_at, y * screw_at, 0]) {
        $fn = sides(screw_head);
        translate([0, 0, -1]) cylinder(d = screw_head, h = 3);
        translate([0, 0, 2]) cylinder(d1 = screw_head, d2 = screw_hole, h = sunk);
        translate([0, 0, 2]) cylinder(d = screw_hole, h = far);
    }
}

module cable_clamp() {
    low = floor + cable_diameter - 0.6;
    slab(low, low + 2.4) difference() {
        hull() for (p = clamp_screws) translate(p) round_d(6);
        for (p = clamp_screws) translate(p) round_d(screw_hole);
    }
    slab(low - 0.6, low + e) for (y = [-20, -17]) translate([0, y]) square([4.8, 1.2], center = true);
}

module hood() {
    beside = screen_width + 9;
    lamp_room = 12.6;
    half_x = (beside + lamp_room + 4.8) / 2;
    half_y = screen_height / 2 + 3.2;
    split = half_x - lamp_room - 2.4;
    screen = 1.6 - half_x + beside / 2;
    lamp = half_x - 1.6 - lamp_room / 2;
    difference() {
        union() {
            slab(0, 2) square([2 * half_x, 2 * half_y], center = true);
            slab(2 - e, 2 + hood_depth) {
                difference() {
                    square([2 * half_x, 2 * half_y], center = true);
                    square([2 * half_x - 3.2, 2 * half_y - 3.2], center = true);
                }
                translate([split - 0.8, -half_y]) square([1.6, 2 * half_y]);
            }
            slab(2 - e, 6) translate([lamp, 0]) round_d(lamp_diameter + 3);
        }
        slab(-e, 6 + e) {
            translate([screen, 0]) {
                square([screen_view_x, screen_view_y], center = true);
                for (x = [-1, 1], y = [-1, 1]) translate([x * screen_holes_x / 2, y * screen_holes_y / 2]) round_d(2.2);
            }
            translate([lamp, 0]) round_d(lamp_diameter);
        }
    }
}

module comb() difference() {
    slab(0, 4) translate([-38, -18]) square([76, 36]);
    for (n = [0 : 4]) translate([14.5 * (n - 2), 0]) {
        slab(-e, 4 + e) translate([0, 9]) round_d(shaft_diameter + 0.2 * (n + 1));
        slab(4 - pocket_depth, 4 + e) translate([0, -4]) round_d(6 + 0.1 * n);
        slab(-e, 4 + e) translate([0, -13]) round_d(1.9 + 0.1 * n);
        slab(-e, 4 + e) for (k = [0 : n]) translate([2.4 * (k - n / 2), 0])
            polygon([[-0.6, 18.1], [0, 16.8], [0.6, 18.1]]);
    }
}

module gauge() {
    slab(0, 2) round_d(shaft_diameter + 4);
    slab(2 - e, 12) round_d(shaft_diameter);
}

// ---- the shown part

module turned(high) translate([0, 0, high]) rotate([180, 0, 0]) children();

if (part == "comb") comb();
if (part == "gauge") gauge();
if (part == "top") turned(height) top_plate();
if (part == "dial") turned(dial_top) dial();
if (part == "spring") translate([0, 0, -spring_bottom]) flexure();
if (part == "carrier") turned(carrier_top) sensor_carrier();
if (part == "base") base();
if (part == "clamp") turned(floor + cable_diameter + 1.8) cable_clamp();
if (part == "hood") hood();
if (part == "assembly") {
    color("dimgray") base();
    color("orchid") translate([0, 0, 14 * apart]) cable_clamp();
    color("darkseagreen") translate([0, 0, 26 * apart]) sensor_carrier();
    color("steelblue") translate([0, 0, 46 * apart]) flexure();
    color("chocolate") translate([0, 0, 60 * apart]) dial();
    color("tan") translate([0, 0, 92 * apart]) top_plate();
}
