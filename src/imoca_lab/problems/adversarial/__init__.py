from imoca_lab.problems.adversarial.problem import ADVERSARIAL_NAMES as ADVERSARIAL_NAMES
from imoca_lab.problems.adversarial.problem import adversarial as adversarial
