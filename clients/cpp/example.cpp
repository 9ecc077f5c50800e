// Let iMOCA choose beams, compute each, and show the front:
//   imoca serve clients/study.toml &
//   g++ -std=c++17 -O2 -o beam clients/cpp/example.cpp && ./beam clients/beam.serve.json 8
#include <cmath>
#include <iostream>

#include "imoca_client.hpp"

struct Beam {
  double deflection, mass;
};

// Deflection in mm of a steel cantilever of 2 m, 5 cm wide, under 2 kN at its end: the bending moment over E I, summed
// over cells by the midpoint rule; and its mass in kg.
Beam compute(double root, double taper, double cells) {
  const int n = static_cast<int>(std::lround(cells));
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    const double x = 2.0 * (i + 0.5) / n, height = root * (1.0 - (1.0 - taper) * x / 2.0);
    sum += 2000.0 * (2.0 - x) * (2.0 - x) / (210e9 * 0.05 * height * height * height / 12.0);
  }
  return {1e3 * sum * 2.0 / n, 7850.0 * 0.05 * root * (1.0 + taper) / 2.0 * 2.0};
}

int main(int argc, char** argv) {
  if (argc != 3) return std::cerr << "usage: beam ADDRESS_FILE TRIALS\n", 2;
  try {
    const imoca::Client client(argv[1]);
    for (int i = 0; i < std::stoi(argv[2]); ++i) {
      const imoca::Json question = client.post("ask", "{\"worker\": \"cpp-1\"}");
      const std::string number = std::to_string(std::lround(question["number"].number));
      const double cells = question["fidelities"]["beam"].number;
      const Beam beam = compute(question["parameters"]["root"].number, question["parameters"]["taper"].number, cells);
      if (std::isfinite(beam.deflection)) {
        client.post("tell", "{\"number\": " + number + ", \"values\": {\"deflection\": " + imoca::exact(beam.deflection) +
                                ", \"mass\": " + imoca::exact(beam.mass) + "}, \"cost\": {\"beam\": " +
                                imoca::exact(20.0 + cells) + "}}");
      } else {
        client.post("fail", "{\"number\": " + number + ", \"reason\": " + imoca::quoted("the beam is broken") + "}");
      }
      std::cout << "trial " << number << " with " << std::lround(cells) << " cells: " << beam.deflection << " mm, "
                << beam.mass << " kg\n";
    }
    std::cout << client.get("front")["points"].items.size() << " designs on the front\n";
  } catch (const std::exception& error) {
    return std::cerr << error.what() << "\n", 1;
  }
}
